package io.headgate.server.grpc;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** HTTP/2 frame by frame, for what no well-behaved client would send. */
final class RawHttp2 implements AutoCloseable {
  private static final int HEADERS = 1;
  private static final int RESET = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GO_AWAY = 7;
  private static final int ACK = 1;
  private static final int ENHANCE_YOUR_CALM = 11;
  private static final int END_OF_HEADERS = 4;

  private final Socket socket;
  private final DataOutputStream out;
  private final DataInputStream in;
  private int stream = 1;

  RawHttp2(int port) throws IOException {
    this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(30_000);
    this.out = new DataOutputStream(socket.getOutputStream());
    this.in = new DataInputStream(socket.getInputStream());
    out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    frame(SETTINGS, 0, 0, new byte[0]);
  }

  private void frame(int type, int flags, int stream, byte[] payload) throws IOException {
    out.writeByte(0);
    out.writeShort(payload.length);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(stream);
    out.write(payload);
  }

  /** A POST of / that is taken back before its body. */
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
    frame(RESET, 0, stream, new byte[] {0, 0, 0, 8});
    stream += 2;
  }

  /** Whether the other side still answers after so many. */
  boolean isAnsweredAfter(int resets) throws IOException {
    for (int i = 0; i < resets; i++) beginAndReset();
    frame(PING, 0, 0, new byte[8]);
    out.flush();
    return read(PING) >= 0;
  }

  /** Whether the other side ends the connection, be it with a goodbye or without. */
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

  /** The eighth byte of the next frame of that type: of the goodbye, its error. */
  private int read(int wanted) throws IOException {
    while (true) {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      in.skipNBytes(4); // the stream
      var payload = in.readNBytes(length);
      if (type == wanted && (type != PING || flags == ACK)) {
        return payload[7];
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
