package io.headgate.testkit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.testkit.net.FreePorts;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;

/** A RESP2 connection without pipelining. Not thread-safe. */
final class RespConnection implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  private RespConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
  }

  /** Connects to a port; the timeout applies to the connect and to each reply. */
  static RespConnection open(int port, Duration timeout) throws IOException {
    int millis = Math.toIntExact(timeout.toMillis());
    var socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(FreePorts.loopback(), port), millis);
      socket.setSoTimeout(millis);
      return over(socket);
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** Uses a connected socket, which the connection closes. */
  static RespConnection over(Socket socket) throws IOException {
    return new RespConnection(socket);
  }

  /** Sends a command and reads the reply; throws RedisError for an error reply. */
  Reply call(String... command) throws IOException {
    var request = new ByteArrayOutputStream();
    request.writeBytes(("*" + command.length + "\r\n").getBytes(UTF_8));
    for (var argument : command) {
      var bytes = argument.getBytes(UTF_8);
      request.writeBytes(("$" + bytes.length + "\r\n").getBytes(UTF_8));
      request.writeBytes(bytes);
      request.writeBytes(new byte[] {'\r', '\n'});
    }
    out.write(request.toByteArray());
    return read();
  }

  private Reply read() throws IOException {
    int kind = in.read();
    if (kind < 0) throw new EOFException("the server closed the connection");
    var line = line();
    return switch (kind) {
      case '+' -> new Reply.Text(line);
      case '-' -> throw new RedisError(line);
      case ':' -> new Reply.IntegerReply(Long.parseLong(line));
      case '$' -> bulk(Integer.parseInt(line));
      case '*' -> array(Integer.parseInt(line));
      default -> throw new IOException("not RESP2: %c%s".formatted(kind, line));
    };
  }

  private Reply bulk(int length) throws IOException {
    if (length < 0) return Reply.Nil.NIL;
    var bytes = in.readNBytes(length);
    if (bytes.length < length || in.readNBytes(2).length < 2)
      throw new EOFException("the server closed the connection inside a reply");
    return new Reply.Text(new String(bytes, UTF_8));
  }

  private Reply array(int length) throws IOException {
    if (length < 0) return Reply.Nil.NIL;
    var items = new ArrayList<Reply>(length);
    for (int i = 0; i < length; i++) items.add(read());
    return new Reply.Array(items);
  }

  private String line() throws IOException {
    var line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\r'; b = in.read()) {
      if (b < 0) throw new EOFException("the server closed the connection inside a reply");
      line.write(b);
    }
    if (in.read() != '\n') throw new IOException("not RESP2: a line that ends in CR alone");
    return line.toString(UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
