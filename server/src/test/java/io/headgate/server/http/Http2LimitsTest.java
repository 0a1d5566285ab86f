package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.server.tls.TlsFiles;
import io.headgate.testkit.net.TestCertificates;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Limits of HTTP/2, exercised with raw frames that no ordinary client sends. */
class Http2LimitsTest {
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int GOAWAY = 7;
  private static final int END_HEADERS = 4;
  private static final int END_STREAM = 1;
  private static final int ENHANCE_YOUR_CALM = 11;
  private static final byte[] CANCEL = {0, 0, 0, 8};

  /** GET / over https, from HPACK's static table. */
  private static final byte[] GET = {(byte) 0x82, (byte) 0x87, (byte) 0x84};

  private static final byte[] POST = {(byte) 0x83, (byte) 0x87, (byte) 0x84};

  private record Frame(int type, int stream, ByteBuffer body) {}

  private final TestCertificates certificates = TestCertificates.create();
  private RunningService service;
  private SSLSocket socket;
  private DataInputStream in;

  @BeforeEach
  void connect() throws IOException {
    service =
        RunningService.withTls(
            new TlsFiles(certificates.certificate(), certificates.key(), Optional.empty(), false),
            Rule.named("all").limit(FixedWindow.of(Rate.perHour(100))).build());
    socket =
        (SSLSocket)
            certificates.trusting().getSocketFactory().createSocket("127.0.0.1", service.port());
    socket.setSoTimeout(20_000);
    var parameters = new SSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
    in = new DataInputStream(socket.getInputStream());
    socket.getOutputStream().write(RawConnection.bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
    send(frame(SETTINGS, 0, 0, new byte[0]));
  }

  @AfterEach
  void stop() throws IOException {
    socket.close();
    service.close();
    certificates.close();
  }

  private static byte[] frame(int type, int flags, int stream, byte[] body) {
    return ByteBuffer.allocate(9 + body.length)
        .put((byte) (body.length >> 16))
        .putShort((short) body.length)
        .put((byte) type)
        .put((byte) flags)
        .putInt(stream)
        .put(body)
        .array();
  }

  private void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
  }

  private Frame read() throws IOException {
    int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
    int type = in.readUnsignedByte();
    in.readUnsignedByte();
    int stream = in.readInt();
    return new Frame(type, stream, ByteBuffer.wrap(in.readNBytes(length)));
  }

  private Frame next(int type) throws IOException {
    while (true) {
      var frame = read();
      if (frame.type == type) return frame;
    }
  }

  @Test
  void settingsAnnounceTheLimits() throws IOException {
    var settings = next(SETTINGS).body;
    Map<Integer, Integer> values = new HashMap<>();
    while (settings.hasRemaining()) values.put((int) settings.getShort(), settings.getInt());
    assertThat(values).containsEntry(3, 256).containsEntry(6, 32 * 1024);
  }

  @Test
  void excessStreamIsRefused() throws IOException {
    var all = new ByteArrayOutputStream();
    for (int i = 0; i < 257; i++) all.write(frame(HEADERS, END_HEADERS, 2 * i + 1, POST));
    send(all.toByteArray());
    Frame reset;
    do {
      reset = next(RST_STREAM);
    } while (reset.stream != 2 * 256 + 1);
    assertThat(reset.body.getInt()).as("REFUSED_STREAM").isEqualTo(7);
  }

  /**
   * Streams that are opened and reset at once never count as open, so they are limited separately.
   */
  @Test
  void connectionThatResetsThousandsOfStreamsIsClosed() throws IOException {
    assertThat(closedAfterResets(3_000)).as("a proxy that gives up").isFalse();
    boolean closed = false;
    // A starved server reads the first bursts more slowly than the tolerated rate.
    for (int burst = 0; burst < 5 && !closed; burst++) closed = closedAfterResets(20_000);
    assertThat(closed).isTrue();
  }

  private int stream = 1;

  /**
   * Returns whether the server closes the connection before it answers one more request.
   *
   * <p>The server closes while frames are unread, so TCP may reset the connection and discard the
   * GOAWAY frame. If the frame arrives, its code is checked.
   */
  private boolean closedAfterResets(int count) throws IOException {
    var all = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++, stream += 2) {
      all.write(frame(HEADERS, END_HEADERS | END_STREAM, stream, GET));
      all.write(frame(RST_STREAM, 0, stream, CANCEL));
    }
    int probe = stream;
    stream += 2;
    all.write(frame(HEADERS, END_HEADERS | END_STREAM, probe, GET));
    try {
      send(all.toByteArray());
      while (true) {
        var frame = read();
        if (frame.type == GOAWAY) {
          assertThat(frame.body.getInt(4)).isEqualTo(ENHANCE_YOUR_CALM);
          return true;
        }
        if (frame.type == HEADERS && frame.stream == probe) return false;
      }
    } catch (SocketException | EOFException reset) {
      return true;
    }
  }
}
