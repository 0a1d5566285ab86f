package io.headgate.system;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which frames an HTTP/2 client receives when the process is terminated. */
class GoAwayIT {
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int ACK = 1;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;

  @TempDir Path folder;

  private record Frame(int type, int flags, int stream, ByteBuffer payload) {}

  /** An HTTP/2 connection that writes and reads single frames. */
  private static final class Connection implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;
    private int nextStream = 1;

    Connection(int port) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setSoTimeout(60_000);
      in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
      socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
      send(SETTINGS, 0, 0, new byte[0]);
    }

    private void send(int type, int flags, int stream, byte[] payload) throws IOException {
      var bytes = new ByteArrayOutputStream();
      var out = new DataOutputStream(bytes);
      out.writeInt(payload.length << 8 | type);
      out.writeByte(flags);
      out.writeInt(stream);
      out.write(payload);
      socket.getOutputStream().write(bytes.toByteArray());
    }

    /** Sends GET /health/live and returns its stream. */
    int get() throws IOException {
      var block = new ByteArrayOutputStream();
      block.write(0x82); // :method GET
      block.write(0x86); // :scheme http
      for (var field : List.of("\u0004/health/live", "\u0001localhost")) { // :path, :authority
        block.write(field.charAt(0));
        block.write(field.length() - 1);
        block.writeBytes(field.substring(1).getBytes(US_ASCII));
      }
      int stream = nextStream;
      nextStream += 2;
      send(HEADERS, END_HEADERS | END_STREAM, stream, block.toByteArray());
      return stream;
    }

    Frame next() throws IOException {
      int lengthAndType = in.readInt();
      int flags = in.readUnsignedByte();
      int stream = in.readInt();
      var payload = ByteBuffer.wrap(in.readNBytes(lengthAndType >>> 8));
      return new Frame(lengthAndType & 0xff, flags, stream, payload);
    }

    Frame next(int type) throws IOException {
      for (var frame = next(); ; frame = next()) {
        if (frame.type == type) return frame;
      }
    }

    void awaitAnswer(int stream) throws IOException {
      for (var frame = next(); ; frame = next()) {
        if (frame.stream == stream && (frame.flags & END_STREAM) != 0) return;
      }
    }

    void acknowledge(Frame ping) throws IOException {
      var opaque = new byte[ping.payload.remaining()];
      ping.payload.get(0, opaque);
      send(PING, ACK, 0, opaque);
    }

    List<Frame> untilClosed() throws IOException {
      var frames = new ArrayList<Frame>();
      try {
        while (true) frames.add(next());
      } catch (EOFException closed) {
        return frames;
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  void terminatedProcessAnswersRequestsThatCrossItsFirstGoAway() throws Exception {
    try (var service =
            new HeadgateProcess(
                folder, Map.of("HEADGATE_SHUTDOWN_GRACE", "60s"), "serve", "--port", "0");
        var connection = new Connection(service.port())) {
      connection.awaitAnswer(connection.get());
      service.terminate();

      assertThat(connection.next(GOAWAY).payload.getInt(0))
          .as("the first GOAWAY refuses no stream")
          .isEqualTo(Integer.MAX_VALUE);
      int crossing = connection.get();
      connection.acknowledge(connection.next(PING));
      var rest = connection.untilClosed();
      assertThat(rest)
          .as("the request that crossed it is answered")
          .anyMatch(frame -> frame.stream == crossing && (frame.flags & END_STREAM) != 0);
      assertThat(rest.stream().filter(frame -> frame.type == GOAWAY))
          .singleElement()
          .satisfies(second -> assertThat(second.payload.getInt(0)).isEqualTo(crossing));
      assertThat(service.exitCode()).isEqualTo(0);
    }
  }
}
