package io.headgate.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Locale;

/** A keep-alive HTTP/1.1 connection that sends checks one at a time. */
final class WarmUpHttp implements WarmUpConnection {
  static final int CONNECT_MILLIS = 1_000;
  private static final String LENGTH = "content-length:";

  private final Socket socket = new Socket();
  private final InputStream in;
  private final OutputStream out;

  WarmUpHttp(InetSocketAddress address) throws IOException {
    socket.setTcpNoDelay(true);
    socket.connect(address, CONNECT_MILLIS);
    in = new BufferedInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  /** Sends one request; the kinds of requests alternate. */
  @Override
  public int call(int client, int index) throws IOException {
    var request =
        switch (index % 4) {
          case 0 -> post("{\"key\":\"user:%d\"}".formatted(index));
          case 1 ->
              post("{\"subject\":{\"user\":\"u%d\",\"path\":\"/a/%d\"}}".formatted(index, client));
          case 2 -> post("{\"subject\":{\"user\":\"u%d\"},\"cost\":2}".formatted(client));
          default ->
              "GET /v1/gate HTTP/1.1\r\nHost: localhost\r\nX-Headgate-Key: user:%d\r\n\r\n"
                  .formatted(index);
        };
    out.write(request.getBytes(US_ASCII));
    int status = status();
    return status == 200 || status == 204 || status == 429 ? 1 : 0;
  }

  private static String post(String body) {
    return ("POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: %d\r\n\r\n%s")
        .formatted(body.length(), body);
  }

  /** Reads a response and returns its status. */
  private int status() throws IOException {
    var first = line();
    int length = 0;
    for (var header = line(); !header.isEmpty(); header = line()) {
      var name = header.toLowerCase(Locale.ROOT);
      if (name.startsWith(LENGTH))
        length = Integer.parseInt(name.substring(LENGTH.length()).strip());
    }
    in.skipNBytes(length);
    var parts = first.split(" ", 3);
    if (parts.length < 2) throw new IOException("not a status line: " + first);
    return Integer.parseInt(parts[1]);
  }

  private String line() throws IOException {
    var line = new StringBuilder();
    while (true) {
      int next = in.read();
      if (next < 0) throw new EOFException("the server closed the connection");
      if (next == '\n') return line.toString();
      if (next != '\r') line.append((char) next);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
