package io.headgate.server.http.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AsciiString;
import io.vertx.core.http.impl.VertxHttpResponseEncoder;
import io.vertx.core.http.impl.headers.HeadersMultiMap;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The expected bytes are those of the encoder of Vert.x. */
class ShortResponseEncoderTest {
  private final EmbeddedChannel plain = new EmbeddedChannel(new VertxHttpResponseEncoder());
  private final EmbeddedChannel shortened = new EmbeddedChannel(new VertxHttpResponseEncoder());

  ShortResponseEncoderTest() {
    ShortResponseEncoder.install(shortened.pipeline(), new HeadBuffer());
  }

  @AfterEach
  void close() {
    plain.finishAndReleaseAll();
    shortened.finishAndReleaseAll();
  }

  private static HttpHeaders headers(String... namesAndValues) {
    var headers = HeadersMultiMap.httpHeaders();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      headers.add((CharSequence) namesAndValues[i], (CharSequence) namesAndValues[i + 1]);
    }
    return headers;
  }

  private static DefaultFullHttpResponse response(
      HttpVersion version, int status, String body, HttpHeaders headers) {
    var bytes = Unpooled.copiedBuffer(body, UTF_8);
    var code = HttpResponseStatus.valueOf(status);
    return new DefaultFullHttpResponse(version, code, bytes, headers, headers());
  }

  private static DefaultFullHttpResponse response(int status, String body) {
    return response(
        HttpVersion.HTTP_1_1,
        status,
        body,
        headers("RateLimit", "\"a\";r=1;t=1", "content-length", "" + body.length()));
  }

  private static List<ByteBuf> written(EmbeddedChannel channel, HttpObject... messages) {
    var buffers = new ArrayList<ByteBuf>();
    channel.writeOutbound((Object[]) messages);
    for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
      buffers.add(next);
    }
    return buffers;
  }

  private static String text(List<ByteBuf> buffers) {
    var text = new StringBuilder();
    for (var buffer : buffers) {
      text.append(buffer.toString(UTF_8));
      buffer.release();
    }
    return text.toString();
  }

  private void assertSame(Supplier<HttpObject> message) {
    assertThat(text(written(shortened, message.get())))
        .isNotEmpty()
        .isEqualTo(text(written(plain, message.get())));
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 201, 204, 205, 304, 400, 403, 429, 503, 799})
  void everyStatusIsEncodedAsBefore(int status) {
    assertSame(() -> response(status, "{\"allowed\":true}"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 286, 2048, 2049, 100_000})
  void bodyOfEveryLengthIsEncodedAsBefore(int length) {
    assertSame(() -> response(200, "x".repeat(length)));
  }

  @Test
  void headOfEveryLengthIsEncodedAsBefore() {
    assertSame(
        () -> response(HttpVersion.HTTP_1_1, 200, "body", headers("Name", "v".repeat(10_000))));
    assertSame(() -> response(HttpVersion.HTTP_1_1, 200, "body", headers()));
  }

  @Test
  void namesAndValuesOfEveryTypeAreEncodedAsBefore() {
    var headers = HeadersMultiMap.httpHeaders();
    headers.add(new AsciiString("X-Name"), new AsciiString("abcd".getBytes(UTF_8), 1, 2, false));
    headers.add("a", "caf\u00e9 \u6f22");
    headers.add((CharSequence) "b", CharBuffer.wrap("\"c\";r=1"));
    assertSame(() -> response(HttpVersion.HTTP_1_1, 200, "body", headers));
  }

  @Test
  void bodyOutsideTheHeapIsEncodedAsBefore() {
    assertSame(() -> {
      var body = Unpooled.directBuffer().writeBytes("xbody".getBytes(UTF_8)).skipBytes(1);
      return new DefaultFullHttpResponse(
          HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body, headers("a", "b"), headers());
    });
  }

  @Test
  void longHeadDoesNotChangeTheNextOne() {
    assertSame(
        () -> response(HttpVersion.HTTP_1_1, 200, "body", headers("Name", "v".repeat(100_000))));
    assertSame(() -> response(200, "next"));
  }

  @Test
  void otherVersionsAndChunkedResponsesAreEncodedAsBefore() {
    assertSame(() -> response(HttpVersion.HTTP_1_0, 200, "body", headers("a", "b")));
    assertSame(
        () -> response(HttpVersion.HTTP_1_1, 200, "body", headers("transfer-encoding", "chunked")));
  }

  @Test
  void responseInPartsIsEncodedAsBeforeBetweenShortOnes() {
    var ok = HttpResponseStatus.OK;
    for (var channel : List.of(plain, shortened)) {
      var buffers = written(channel, response(200, "first"));
      buffers.addAll(
          written(
              channel,
              new DefaultHttpResponse(
                  HttpVersion.HTTP_1_1, ok, headers("transfer-encoding", "chunked")),
              LastHttpContent.EMPTY_LAST_CONTENT,
              response(200, "last")));
      assertThat(text(buffers))
          .contains("first")
          .contains("\r\n0\r\n\r\nHTTP/1.1")
          .endsWith("last");
    }
  }

  @Test
  void shortResponseIsOneBufferAndIsReleased() {
    var response = response(200, "x".repeat(286));
    var buffers = written(shortened, response);
    assertThat(buffers).hasSize(1);
    assertThat(response.refCnt()).isZero();
    assertThat(text(buffers)).startsWith("HTTP/1.1 200 OK\r\n").endsWith("xx");
  }
}
