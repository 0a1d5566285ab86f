package io.headgate.testkit.net;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Sends requests whose bytes no HTTP client would send. */
public final class RawHttp {
  private static final int TIMEOUT_MILLIS = 60_000;

  /**
   * A response.
   *
   * @param status the status; 0 if the server closed the connection without a response
   * @param headers the last value of each header, by its name in lower case
   */
  public record Reply(int status, Map<String, String> headers) {
    /** Returns the value of a header; empty if there is none. */
    public String header(String name) {
      return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    }
  }

  /**
   * Sends a GET request over a connection of its own.
   *
   * @param target the request target, one char per byte, sent as it is
   * @param lines further lines of the head, such as {@code Accept: text/plain}
   */
  public static Reply get(int port, String target, String... lines) throws IOException {
    try (var socket = new Socket(FreePorts.loopback(), port)) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      var head = new StringBuilder("GET " + target + " HTTP/1.1\r\nHost: example.com\r\n");
      for (var line : lines) head.append(line).append("\r\n");
      head.append("Connection: close\r\n\r\n");
      socket.getOutputStream().write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
      return reply(new String(read(socket), StandardCharsets.ISO_8859_1));
    }
  }

  private static byte[] read(Socket socket) throws IOException {
    try {
      return socket.getInputStream().readAllBytes();
    } catch (SocketException e) {
      return new byte[0]; // reset by a server that did not read the whole request
    }
  }

  private static Reply reply(String text) {
    var headers = new TreeMap<String, String>();
    var lines = text.split("\r\n\r\n", 2)[0].split("\r\n", -1);
    for (var line : lines) {
      int colon = line.indexOf(": ");
      if (colon > 0) {
        headers.put(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 2));
      }
    }
    var status = lines[0].split(" ", 3);
    return new Reply(status.length < 2 ? 0 : Integer.parseInt(status[1]), headers);
  }

  private RawHttp() {}
}
