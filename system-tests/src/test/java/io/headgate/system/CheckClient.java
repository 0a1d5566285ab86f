package io.headgate.system;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;

/**
 * A minimal HTTP client for checks over one keep-alive connection. On a small machine a full HTTP
 * client would take most of the CPU time.
 */
final class CheckClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 60_000;

  /** A response. */
  record Answer(int status, String body) {
    boolean isAllowed() {
      return body.startsWith("{\"allowed\":true,");
    }

    String source() {
      return body.replaceFirst(".*\"source\":\"(\\w+)\".*", "$1");
    }
  }

  private final Socket socket;
  private final BufferedInputStream in;

  CheckClient(int port) {
    try {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(PATIENCE_MILLIS);
      in = new BufferedInputStream(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Answer ask(String key) {
    var body = "{\"key\":\"" + key + "\"}";
    var head =
        "POST /v1/check HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
            + "Content-Length: %d\r\n\r\n".formatted(body.length());
    try {
      socket.getOutputStream().write((head + body).getBytes(UTF_8));
      return read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Answer read() throws IOException {
    int status = Integer.parseInt(line().split(" ", 3)[1]);
    int length = 0;
    for (var line = line(); !line.isEmpty(); line = line()) {
      if (line.regionMatches(true, 0, "content-length:", 0, 15)) {
        length = Integer.parseInt(line.substring(15).strip());
      }
    }
    return new Answer(status, new String(in.readNBytes(length), UTF_8));
  }

  private String line() throws IOException {
    var line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) throw new EOFException("closed after: " + line);
      if (b != '\r') line.append((char) b);
    }
    return line.toString();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
