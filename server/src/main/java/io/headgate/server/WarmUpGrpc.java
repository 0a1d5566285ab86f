package io.headgate.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.server.grpc.proto.RateLimitDescriptor;
import io.headgate.server.grpc.proto.RateLimitRequest;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;

/** An HTTP/2 connection that makes calls to Envoy's rate limit service, several at once. */
final class WarmUpGrpc implements Closeable {
  private static final int AT_ONCE = 8;
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  private static final String METHOD =
      "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final int LARGE_WINDOW = 1 << 30;

  /** The types of frames of RFC 9113, and the flags used here. */
  private static final int DATA = 0;

  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int WINDOW_UPDATE = 8;
  private static final int END_STREAM = 1; // also ACK
  private static final int END_HEADERS = 4;

  private final Socket socket = new Socket();
  private final DataInputStream in;
  private final OutputStream out;
  private final byte[] headers = headers();
  private int stream = 1;
  private int calls;

  WarmUpGrpc(InetSocketAddress address) throws IOException {
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

  /** Makes some calls together; returns how many were answered. */
  int callSome() throws IOException {
    var bytes = new ByteArrayOutputStream();
    var frames = new DataOutputStream(bytes);
    for (int i = 0; i < AT_ONCE; i++) {
      frame(frames, HEADERS, END_HEADERS, stream, headers);
      frame(frames, DATA, END_STREAM, stream, message(calls++));
      stream += 2;
    }
    out.write(bytes.toByteArray());
    for (int ended = 0; ended < AT_ONCE; ) {
      if (endsCall()) ended++;
    }
    return AT_ONCE;
  }

  /** Reads a frame; says whether it is the last of a call. */
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
      case RST_STREAM -> throw new IOException("a call was reset");
      case GOAWAY -> throw new IOException("the server ends the connection");
      default -> {} // windows: no call comes near the smallest
    }
    return false;
  }

  private void acknowledge(int type, int flags, byte[] payload) throws IOException {
    if ((flags & END_STREAM) != 0) return; // is one itself
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

  /** HPACK (RFC 7541) without Huffman codes and without a dynamic table. */
  private static byte[] headers() {
    var block = new ByteArrayOutputStream();
    block.write(0x83); // :method POST
    block.write(0x86); // :scheme http
    block.write(0x04); // :path
    text(block, METHOD);
    block.write(0x01); // :authority
    text(block, "localhost");
    block.write(0x0f); // content-type, the 31st
    block.write(0x10);
    text(block, "application/grpc");
    block.write(0x00); // a name of its own
    text(block, "te");
    text(block, "trailers");
    return block.toByteArray();
  }

  private static void text(ByteArrayOutputStream block, String text) {
    block.write(text.length()); // below 127, so in one byte
    block.writeBytes(text.getBytes(US_ASCII));
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
