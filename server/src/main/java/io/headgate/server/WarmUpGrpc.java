package io.headgate.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.server.grpc.proto.RateLimitDescriptor;
import io.headgate.server.grpc.proto.RateLimitRequest;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;

/** An HTTP/2 connection that makes pipelined calls to Envoy's rate limit service. */
final class WarmUpGrpc implements WarmUpConnection {
  /** The calls that a connection of a warm-up makes at once. */
  static final int BATCH = 8;

  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  private static final String METHOD =
      "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final int LARGE_WINDOW = 1 << 30;

  /** Frame types and flags of RFC 9113. */
  private static final int DATA = 0;

  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int WINDOW_UPDATE = 8;
  private static final int END_STREAM = 1; // the same bit as ACK
  private static final int END_HEADERS = 4;

  private final Socket socket = new Socket();
  private final DataInputStream in;
  private final OutputStream out;
  private final byte[] headers = headers();
  private final int batch;
  private int stream = 1;

  /**
   * Connects.
   *
   * @param batch the number of calls to make at once
   */
  WarmUpGrpc(InetSocketAddress address, int batch) throws IOException {
    this.batch = batch;
    socket.setTcpNoDelay(true);
    socket.connect(address, WarmUpHttp.CONNECT_MILLIS);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    out = socket.getOutputStream();
    var bytes = new ByteArrayOutputStream();
    bytes.write(PREFACE.getBytes(US_ASCII));
    var start = new DataOutputStream(bytes);
    frame(start, SETTINGS, 0, 0, new byte[0]);
    frame(start, WINDOW_UPDATE, 0, 0, new byte[] {LARGE_WINDOW >>> 24, 0, 0, 0});
    out.write(bytes.toByteArray());
  }

  /** Makes a batch of calls. */
  @Override
  public int call(int client, int index) throws IOException {
    var bytes = new ByteArrayOutputStream();
    var frames = new DataOutputStream(bytes);
    for (int i = 0; i < batch; i++) {
      frame(frames, HEADERS, END_HEADERS, stream, headers);
      frame(frames, DATA, END_STREAM, stream, message(index + i));
      stream += 2;
    }
    out.write(bytes.toByteArray());
    for (int ended = 0; ended < batch; ) {
      if (endsCall()) ended++;
    }
    return batch;
  }

  /** Reads a frame and returns whether it is the last of a call. */
  private boolean endsCall() throws IOException {
    int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
    int type = in.readUnsignedByte();
    int flags = in.readUnsignedByte();
    in.skipNBytes(4);
    var payload = in.readNBytes(length);
    switch (type) {
      case DATA, HEADERS -> {
        return (flags & END_STREAM) != 0;
      }
      case SETTINGS -> acknowledge(SETTINGS, flags, new byte[0]);
      case PING -> acknowledge(PING, flags, payload);
      case RST_STREAM -> throw new IOException("the server reset a call");
      case GOAWAY -> throw new IOException("the server closes the connection (GOAWAY)");
      default -> {} // WINDOW_UPDATE: every call fits in the smallest window
    }
    return false;
  }

  private void acknowledge(int type, int flags, byte[] payload) throws IOException {
    if ((flags & END_STREAM) != 0) return; // is an acknowledgement
    var bytes = new ByteArrayOutputStream();
    frame(new DataOutputStream(bytes), type, END_STREAM, 0, payload);
    out.write(bytes.toByteArray());
  }

  private static void frame(DataOutputStream out, int type, int flags, int stream, byte[] payload)
      throws IOException {
    out.writeByte(payload.length >>> 16);
    out.writeShort(payload.length);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(stream);
    out.write(payload);
  }

  /** Encodes the request headers with HPACK (RFC 7541), without Huffman codes or dynamic table. */
  private static byte[] headers() {
    var block = new ByteArrayOutputStream();
    block.write(0x83); // :method POST
    block.write(0x86); // :scheme http
    block.write(0x04); // :path
    literal(block, METHOD);
    block.write(0x01); // :authority
    literal(block, "localhost");
    block.write(0x0f); // content-type, entry 31 of the static table
    block.write(0x10);
    literal(block, "application/grpc");
    block.write(0x00); // literal name
    literal(block, "te");
    literal(block, "trailers");
    return block.toByteArray();
  }

  private static void literal(ByteArrayOutputStream block, String literal) {
    block.write(literal.length()); // below 127, so encoded in one byte
    block.writeBytes(literal.getBytes(US_ASCII));
  }

  private static byte[] message(int number) throws IOException {
    var request =
        RateLimitRequest.newBuilder()
            .setDomain("warm-up")
            .addDescriptors(
                RateLimitDescriptor.newBuilder()
                    .addEntries(
                        RateLimitDescriptor.Entry.newBuilder()
                            .setKey("remote_address")
                            .setValue("10.0.0." + number % 256)))
            .addDescriptors(
                RateLimitDescriptor.newBuilder()
                    .addEntries(
                        RateLimitDescriptor.Entry.newBuilder()
                            .setKey("path")
                            .setValue("/" + number % 64)))
            .build()
            .toByteArray();
    var bytes = new ByteArrayOutputStream();
    var out = new DataOutputStream(bytes);
    out.writeByte(0); // not compressed
    out.writeInt(request.length);
    out.write(request);
    return bytes.toByteArray();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
