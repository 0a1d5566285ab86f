package io.headgate.server.grpc;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** An HTTP/2 client that sends single frames, including ones that violate the protocol. */
final class RawHttp2 implements AutoCloseable {
  /** The path of Envoy's calls. */
  static final String RATE_LIMIT = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

  /** The length of what precedes each gRPC message. */
  static final int PREFIX = 5;

  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int RESET = 3;
  static final int GO_AWAY = 7;
  static final int WINDOW = 8;
  private static final int SETTINGS = 4;
  static final int PING = 6;
  private static final int ACK = 1;
  private static final int ENHANCE_YOUR_CALM = 11;
  private static final int END_OF_STREAM = 1;
  private static final int END_OF_HEADERS = 4;
  private static final byte[] NO_WINDOW = {0, 4, 0, 0, 0, 0};
  private static final byte[] CANCEL = {0, 0, 0, 8};

  record Frame(int type, int flags, int stream, ByteBuffer payload) {
    boolean isPong() {
      return type == PING && flags == ACK;
    }

    /** The payload as a number, where it is one. */
    int number() {
      return payload.getInt(0);
    }
  }

  private final Socket socket;
  private final DataOutputStream out;
  private final DataInputStream in;
  private int stream = 1;

  RawHttp2(int port) throws IOException {
    this(port, new byte[0]);
  }

  /** Creates a client with a receive window of 0, which reads no response until it opens it. */
  static RawHttp2 withoutWindow(int port) throws IOException {
    return new RawHttp2(port, NO_WINDOW);
  }

  private RawHttp2(int port, byte[] settings) throws IOException {
    this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(30_000);
    this.out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    frame(SETTINGS, 0, 0, settings);
  }

  private void frame(int type, int flags, int stream, byte[] payload) throws IOException {
    out.writeByte(payload.length >> 16);
    out.writeShort(payload.length);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(stream);
    out.write(payload);
  }

  /** Begins a POST and returns its stream. */
  int post(String path, String contentType) throws IOException {
    int begun = begin(path, contentType);
    out.flush();
    return begun;
  }

  /** Sends a complete gRPC call with a timeout, such as {@code 20m} for 20 ms. */
  int call(String path, byte[] message, String timeout) throws IOException {
    int begun = begin(path, "application/grpc", timeout);
    frame(DATA, END_OF_STREAM, begun, framed(message));
    out.flush();
    return begun;
  }

  /** Sends a complete gRPC call in one write, optionally with a reset in the same write. */
  int call(String path, byte[] message, boolean reset) throws IOException {
    int begun = begin(path, "application/grpc");
    frame(DATA, END_OF_STREAM, begun, framed(message));
    if (reset) frame(RESET, 0, begun, CANCEL);
    out.flush();
    return begun;
  }

  private int begin(String path, String contentType) throws IOException {
    return begin(path, contentType, "");
  }

  private int begin(String path, String contentType, String timeout) throws IOException {
    var block = new ByteArrayOutputStream();
    block.write(0x83); // POST
    block.write(0x86); // http
    literal(block, 4, path);
    literal(block, 1, "here");
    block.write(0x0f); // content-type is the 31st of the static table
    literal(block, 31 - 15, contentType);
    if (!timeout.isEmpty()) {
      block.write(0); // a name of its own
      text(block, "grpc-timeout");
      text(block, timeout);
    }
    int begun = stream;
    stream += 2;
    frame(HEADERS, END_OF_HEADERS, begun, block.toByteArray());
    return begun;
  }

  private static void literal(ByteArrayOutputStream block, int name, String value) {
    block.write(name);
    text(block, value);
  }

  private static void text(ByteArrayOutputStream block, String value) {
    block.write(value.length());
    block.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
  }

  void data(int stream, byte[] bytes, boolean last) throws IOException {
    frame(DATA, last ? END_OF_STREAM : 0, stream, bytes);
    out.flush();
  }

  /** Returns a message with its gRPC prefix. */
  static byte[] framed(byte[] message) {
    return ByteBuffer.allocate(PREFIX + message.length)
        .put((byte) 0)
        .putInt(message.length)
        .put(message)
        .array();
  }

  void reset(int stream) throws IOException {
    frame(RESET, 0, stream, CANCEL);
    out.flush();
  }

  /** Acknowledges a ping of the server. */
  void pong(Frame ping) throws IOException {
    var payload = new byte[8];
    ping.payload.duplicate().rewind().get(payload);
    frame(PING, ACK, 0, payload);
    out.flush();
  }

  void ping() throws IOException {
    frame(PING, 0, 0, new byte[8]);
    out.flush();
  }

  void window(int stream, int bytes) throws IOException {
    frame(WINDOW, 0, stream, ByteBuffer.allocate(4).putInt(bytes).array());
    out.flush();
  }

  Frame next() throws IOException {
    int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
    int type = in.readUnsignedByte();
    int flags = in.readUnsignedByte();
    int of = in.readInt();
    return new Frame(type, flags, of, ByteBuffer.wrap(in.readNBytes(length)));
  }

  /** Returns the next frame of a type on a stream. */
  Frame next(int type, int stream) throws IOException {
    while (true) {
      var frame = next();
      if (frame.type == type && frame.stream == stream) return frame;
    }
  }

  /** Begins a POST of / and resets it before its body. */
  private void beginAndReset() throws IOException {
    var authority = "here".getBytes(StandardCharsets.US_ASCII);
    var block = new byte[5 + authority.length];
    block[0] = (byte) 0x83; // POST
    block[1] = (byte) 0x86; // http
    block[2] = (byte) 0x84; // /
    block[3] = 0x01; // the authority, by its value
    block[4] = (byte) authority.length;
    System.arraycopy(authority, 0, block, 5, authority.length);
    frame(HEADERS, END_OF_HEADERS, stream, block);
    frame(RESET, 0, stream, CANCEL);
    stream += 2;
  }

  /** Returns whether the server still replies after the given number of resets. */
  boolean isAnsweredAfter(int resets) throws IOException {
    for (int i = 0; i < resets; i++) beginAndReset();
    frame(PING, 0, 0, new byte[8]);
    out.flush();
    return read(PING) >= 0;
  }

  /** Returns whether the server closes the connection, with or without a GOAWAY. */
  boolean isCutOffBy(int resets) throws IOException {
    try {
      for (int i = 0; i < resets; i++) beginAndReset();
      out.flush();
      return read(GO_AWAY) == ENHANCE_YOUR_CALM;
    } catch (SocketTimeoutException stillOpen) {
      return false;
    } catch (SocketException | EOFException closed) {
      return true; // what it had not read yet took the goodbye with it
    }
  }

  /** Returns the eighth byte of the next frame of a type; the error code of a GOAWAY. */
  private int read(int wanted) throws IOException {
    while (true) {
      var frame = next();
      if (frame.type == wanted && (wanted != PING || frame.isPong())) return frame.payload.get(7);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
