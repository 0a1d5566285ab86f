package io.headgate.server.abuse;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;

/**
 * An HTTP/2 client that writes any frame, including invalid ones. Frames are buffered until {@link
 * #flush}. Nothing is read automatically.
 */
public final class Http2Client implements AutoCloseable {
  public static final int DATA = 0;
  public static final int HEADERS = 1;
  public static final int RST_STREAM = 3;
  public static final int SETTINGS = 4;
  public static final int PING = 6;
  public static final int GOAWAY = 7;
  public static final int WINDOW_UPDATE = 8;
  public static final int CONTINUATION = 9;
  public static final int END_STREAM = 1;
  public static final int ACK = 1;
  public static final int END_HEADERS = 4;

  private static final int PRIORITY = 0x20;
  private static final int INITIAL_WINDOW_SIZE = 4;
  private static final int TIMEOUT_MILLIS = 60_000;

  /** A received frame. */
  public record Frame(int type, int flags, int stream, ByteBuffer payload) {
    public boolean endsStream() {
      return (type == DATA || type == HEADERS) && (flags & END_STREAM) != 0;
    }
  }

  /** A header block in HPACK, without Huffman coding. */
  public static final class Block {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** Adds an entry of the static table, or of the dynamic one from 62 on. */
    public Block indexed(int index) {
      number(0x80, 7, index);
      return this;
    }

    /** Adds a literal field that is not indexed. */
    public Block literal(String name, String value) {
      bytes.write(0);
      text(name);
      text(value);
      return this;
    }

    /** Adds a literal field that becomes entry 62 of the dynamic table. */
    public Block literalIndexed(String name, String value) {
      bytes.write(0x40);
      text(name);
      text(value);
      return this;
    }

    private void text(String text) {
      number(0, 7, text.length());
      bytes.writeBytes(text.getBytes(ISO_8859_1));
    }

    private void number(int pattern, int bits, int value) {
      int max = (1 << bits) - 1;
      if (value < max) {
        bytes.write(pattern | value);
        return;
      }
      bytes.write(pattern | max);
      int rest = value - max;
      for (; rest >= 128; rest >>= 7) bytes.write((rest & 0x7f) | 0x80);
      bytes.write(rest);
    }

    public byte[] bytes() {
      return bytes.toByteArray();
    }
  }

  private final Socket socket;
  private final DataOutputStream out;
  private final DataInputStream in;
  private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false);
  private int nextStream = 1;

  public Http2Client(int port) throws IOException {
    this(port, 65_535);
  }

  /**
   * @param window the initial flow-control window of each stream
   */
  public Http2Client(int port, int window) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 64 * 1024));
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    settings(INITIAL_WINDOW_SIZE, window);
    flush();
  }

  public void frame(int type, int flags, int stream, byte[] payload) throws IOException {
    out.writeByte(payload.length >> 16);
    out.writeShort(payload.length);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(stream);
    out.write(payload);
  }

  public void settings(int setting, int value) throws IOException {
    frame(SETTINGS, 0, 0, ByteBuffer.allocate(6).putShort((short) setting).putInt(value).array());
  }

  public void window(int stream, int bytes) throws IOException {
    frame(WINDOW_UPDATE, 0, stream, ByteBuffer.allocate(4).putInt(bytes).array());
  }

  public void reset(int stream) throws IOException {
    frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
  }

  /** Opens a stream and returns its id. */
  public int headers(Block block, boolean last) throws IOException {
    int stream = nextStream;
    nextStream += 2;
    frame(HEADERS, END_HEADERS | (last ? END_STREAM : 0), stream, block.bytes());
    return stream;
  }

  public int get(String path) throws IOException {
    var block = new Block().indexed(2).indexed(6).literal(":path", path);
    return headers(block.literal(":authority", "127.0.0.1"), true);
  }

  public static Block post(String path, String contentType) {
    var block = new Block().indexed(3).indexed(6).literal(":path", path);
    return block.literal(":authority", "127.0.0.1").literal("content-type", contentType);
  }

  public void data(int stream, byte[] bytes, boolean last) throws IOException {
    frame(DATA, last ? END_STREAM : 0, stream, bytes);
  }

  /** Begins a gRPC call with these bytes, framed or not. */
  public int call(String method, byte[] bytes, boolean last) throws IOException {
    int stream = headers(post(method, "application/grpc").literal("te", "trailers"), false);
    data(stream, bytes, last);
    return stream;
  }

  /** Returns a message framed for gRPC. */
  public static byte[] message(int flag, byte[] message) {
    var framed = ByteBuffer.allocate(5 + message.length);
    return framed.put((byte) flag).putInt(message.length).put(message).array();
  }

  public void flush() throws IOException {
    out.flush();
  }

  public Frame next() throws IOException {
    int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
    int type = in.readUnsignedByte();
    int flags = in.readUnsignedByte();
    int stream = in.readInt();
    return new Frame(type, flags, stream, ByteBuffer.wrap(in.readNBytes(length)));
  }

  /** Reads the next frame of a type on a stream. */
  public Frame next(int type, int stream) throws IOException {
    while (true) {
      var frame = next();
      if (frame.type == type && frame.stream == stream) return frame;
    }
  }

  /** Returns all headers and trailers of a stream once it has ended; fails if it is reset. */
  public Http2Headers answer(int stream) throws IOException {
    Http2Headers all = null;
    while (true) {
      var frame = next();
      if (frame.type == GOAWAY) throw new IOException("the connection ends: " + code(frame, 4));
      if (frame.type == HEADERS) {
        // Decoded for all streams, since they share the dynamic table.
        var some = decoded(frame);
        if (frame.stream == stream) all = all == null ? some : all.add(some);
      }
      if (frame.stream != stream) continue;
      if (frame.type == RST_STREAM) throw new IOException("reset: " + code(frame, 0));
      if (frame.endsStream() && all != null) return all;
    }
  }

  private Http2Headers decoded(Frame frame) throws IOException {
    var payload = Unpooled.wrappedBuffer(frame.payload);
    if ((frame.flags & PRIORITY) != 0) payload.skipBytes(5);
    try {
      return decoder.decodeHeaders(frame.stream, payload);
    } catch (Http2Exception e) {
      throw new IOException(e);
    }
  }

  private static int code(Frame frame, int at) {
    return frame.payload.getInt(at);
  }

  /** Waits for the server to close the connection; returns false after a timeout. */
  public boolean isClosedByServer() {
    try {
      while (true) next();
    } catch (java.net.SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
