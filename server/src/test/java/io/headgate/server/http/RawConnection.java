package io.headgate.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;

/** A connection on which any bytes can be sent, including those that no HTTP client would send. */
public final class RawConnection implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 20_000;

  private final Socket socket;
  private final BufferedInputStream in;

  /** Connects to a port of this machine. */
  public static RawConnection to(int port) {
    return new RawConnection(port);
  }

  RawConnection(int port) {
    this(opened(port));
  }

  private static Socket opened(int port) {
    try {
      return new Socket(InetAddress.getLoopbackAddress(), port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  RawConnection(Socket connected) {
    socket = connected;
    try {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.setTcpNoDelay(true);
      in = new BufferedInputStream(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public RawAnswer post(String path, String body, String... headers) {
    return post(path, body.getBytes(UTF_8), headers);
  }

  public RawAnswer post(String path, byte[] body, String... headers) {
    sendPost(path, body, headers);
    return read();
  }

  public void sendPost(String path, byte[] body, String... headers) {
    boolean typed = false;
    for (var header : headers) typed |= header.toLowerCase(Locale.ROOT).startsWith("content-type:");
    var head = new StringBuilder("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    if (!typed) head.append("Content-Type: application/json\r\n");
    for (var header : headers) head.append(header).append("\r\n");
    head.append("Content-Length: ").append(body.length).append("\r\n\r\n");
    send(head.toString().getBytes(ISO_8859_1), body);
  }

  public RawAnswer request(String method, String path, String... headers) {
    send(head(method + " " + path, headers));
    return read(method.equals("HEAD"));
  }

  /** Returns the head of a request without a body, or of one whose body is sent later. */
  public static byte[] head(String methodAndPath, String... headers) {
    var head = new StringBuilder(methodAndPath + " HTTP/1.1\r\n");
    boolean named = Arrays.stream(headers).anyMatch(header -> header.startsWith("Host:"));
    if (!named) head.append("Host: 127.0.0.1\r\n");
    for (var header : headers) head.append(header).append("\r\n");
    return head.append("\r\n").toString().getBytes(ISO_8859_1);
  }

  public static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  public void send(byte[]... parts) {
    try {
      var all = new ByteArrayOutputStream();
      for (var part : parts) all.write(part);
      socket.getOutputStream().write(all.toByteArray());
      socket.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public RawAnswer read() {
    return read(false);
  }

  private RawAnswer read(boolean headOnly) {
    try {
      String first = line();
      int status = Integer.parseInt(first.split(" ", -1)[1]);
      var headers = new HashMap<String, String>();
      for (String line = line(); !line.isEmpty(); line = line()) {
        int colon = line.indexOf(':');
        headers.merge(
            line.substring(0, colon).toLowerCase(Locale.ROOT),
            line.substring(colon + 1).strip(),
            (a, b) -> a + ", " + b);
      }
      int length = headOnly ? 0 : Integer.parseInt(headers.getOrDefault("content-length", "0"));
      return new RawAnswer(status, headers, new String(in.readNBytes(length), UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads the given number of bytes, or fewer if the server closes. */
  byte[] readBytes(int count) {
    try {
      return in.readNBytes(count);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for the server to close the connection; returns false after a timeout. */
  boolean isClosedByServer() {
    try {
      return in.read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /** Closes the sending side; responses can still be read. */
  void endOfRequests() {
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads until the server closes. */
  String readToTheEnd() {
    try {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String line() throws IOException {
    var line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) throw new EOFException("closed after: " + line.toString(ISO_8859_1));
      if (b != '\r') line.write(b);
    }
    return line.toString(ISO_8859_1);
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
