package io.headgate.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A request of Envoy's rate limit service with one descriptor, {@code key = user:42}, in the domain
 * {@code bench}. It is encoded by hand, which avoids a dependency on generated protobuf code.
 */
final class GrpcQuestion {
  static final String PATH = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

  private static final int FRAME = 5; // a flag and the length
  private static final int SECONDS = 20;

  private GrpcQuestion() {}

  static byte[] framed() {
    var entry = Buffer.buffer().appendBuffer(field(1, "key")).appendBuffer(field(2, "user:42"));
    var descriptor = field(1, entry);
    var message = field(1, "bench").appendBuffer(field(2, descriptor)).getBytes();
    return ByteBuffer.allocate(FRAME + message.length)
        .put((byte) 0)
        .putInt(message.length)
        .put(message)
        .array();
  }

  private static Buffer field(int number, String text) {
    return field(number, Buffer.buffer(text.getBytes(UTF_8)));
  }

  private static Buffer field(int number, Buffer content) {
    return Buffer.buffer()
        .appendByte((byte) (number << 3 | 2))
        .appendByte((byte) content.length())
        .appendBuffer(content);
  }

  /** Verifies that the request succeeds: h2load counts gRPC errors, which have HTTP status 200. */
  static void requireAnswered(String address) throws InterruptedException {
    var vertx = Vertx.vertx();
    try {
      var client =
          vertx.createHttpClient(
              new HttpClientOptions()
                  .setProtocolVersion(HttpVersion.HTTP_2)
                  .setHttp2ClearTextUpgrade(false));
      var request = new RequestOptions().setMethod(HttpMethod.POST).setAbsoluteURI(address + PATH);
      var reply =
          client
              .request(request)
              .compose(call ->
                  call.putHeader("content-type", "application/grpc")
                      .putHeader("te", "trailers")
                      .send(Buffer.buffer(framed()))
                      // On the event loop, where no part of the body can arrive before it.
                      .compose(response -> response.body()))
              .toCompletionStage()
              .toCompletableFuture()
              .get(SECONDS, TimeUnit.SECONDS);
      // The first field of the response is its overall code: 1 is OK.
      boolean ok =
          reply.length() > FRAME + 1
              && reply.getByte(FRAME) == 1 << 3
              && reply.getByte(FRAME + 1) == 1;
      if (!ok) throw new IllegalStateException("unexpected gRPC response: " + reply);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the gRPC request failed", e);
    } finally {
      vertx.close();
    }
  }
}
