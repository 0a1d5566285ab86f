package io.headgate.redis.internal.home;

import io.headgate.internal.http.BoundedBody;
import io.headgate.internal.script.Failures;
import io.headgate.internal.script.ScriptConnection;
import io.headgate.redis.HomeService;
import io.headgate.redis.internal.home.HomeCall.Operation;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Calls the Headgate of another region that is home. Each call is one HTTP request, which is not
 * repeated. Thread-safe.
 */
public final class HomeServiceClient implements AutoCloseable {
  /** The path of calls. */
  public static final String PATH = "/v1/home";

  /** The media type of calls and replies. */
  public static final String MEDIA_TYPE = "application/octet-stream";

  /** More than the reports of 1,000 instances, the longest reply. */
  private static final int MAX_REPLY = 8 << 20;

  private final HttpClient http;
  private final HomeService home;
  private final URI uri;
  private final long lease;

  /**
   * Creates a client; connects with the first call.
   *
   * @param lease the longest lease of this region
   * @throws IllegalArgumentException if the certificates to trust can't be read
   */
  public HomeServiceClient(HomeService home, Duration lease) {
    this.home = home;
    this.uri = home.uri().resolve(PATH);
    this.lease = lease.toNanos() / 1_000;
    boolean tls = "https".equalsIgnoreCase(home.uri().getScheme());
    var builder =
        HttpClient.newBuilder()
            .version(tls ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
            .connectTimeout(home.deadline());
    home.ca().ifPresent(file -> builder.sslContext(HomeTls.trusting(file)));
    this.http = builder.build();
  }

  /** Returns a connection that evaluates batches at home, behind its guard if wanted. */
  public ScriptConnection connection(boolean guarded) {
    return new Connection(guarded ? Operation.GUARDED : Operation.STRICT);
  }

  /** Opens a home that has started again. */
  public CompletionStage<?> heartbeat() {
    return call(Operation.HEARTBEAT, List.of(), new byte[0]);
  }

  /** Publishes the report of an instance, and returns those of all. */
  public CompletionStage<List<byte[]>> report(String instance, byte[] report) {
    return call(Operation.REPORT, List.of(instance), report);
  }

  private CompletionStage<List<byte[]>> call(
      Operation operation, List<String> keys, byte[] argument) {
    var body = new HomeCall(operation, lease, keys, argument).bytes();
    var request =
        HttpRequest.newBuilder(uri)
            .timeout(home.deadline())
            .header("Content-Type", MEDIA_TYPE)
            .POST(BodyPublishers.ofByteArray(body));
    home.token().ifPresent(token -> request.header("Authorization", "Bearer " + token));
    return BoundedBody.send(http, request.build(), MAX_REPLY)
        .handle((response, problem) -> {
          if (problem != null) throw failure(problem);
          if (response.statusCode() != 200) throw refusal(response);
          return HomeReply.read(response.body());
        });
  }

  private StoreException failure(Throwable problem) {
    var cause = Failures.rootOf(problem);
    var text = HomeErrorText.of(cause, home);
    if (isUnsent(cause)) return new StoreException(Kind.CONNECTION, text, cause).unsent();
    var kind = cause instanceof HttpTimeoutException ? Kind.TIMEOUT : Kind.CONNECTION;
    return new StoreException(kind, text, cause);
  }

  /** Returns whether a call failed before it was sent. */
  private static boolean isUnsent(Throwable cause) {
    return cause instanceof ConnectException
        || cause instanceof HttpConnectTimeoutException
        || cause instanceof UnresolvedAddressException
        || HomeErrorText.isRefusedCertificate(cause);
  }

  /**
   * Returns the failure of a call that home's service did not execute (4xx), or of which a service
   * or a proxy before it does not tell (all others).
   */
  private StoreException refusal(HttpResponse<byte[]> response) {
    int status = response.statusCode();
    var message =
        HomeErrorText.ofStatus(
            status, new String(response.body(), StandardCharsets.UTF_8).strip(), home);
    boolean executed = status < 400 || status >= 500;
    return new StoreException(executed ? Kind.OTHER : Kind.REFUSED, message, null);
  }

  @Override
  public void close() {
    http.shutdownNow();
  }

  /** Evaluates batches at home. */
  private final class Connection implements ScriptConnection {
    private final Operation operation;

    Connection(Operation operation) {
      this.operation = operation;
    }

    @Override
    public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
      var names = new ArrayList<String>(keys.length);
      for (var key : keys) names.add(new String(key, StandardCharsets.UTF_8));
      return call(operation, names, argument)
          .thenApply(reply -> {
            if (reply.size() == 1) return reply.getFirst();
            throw new StoreException(
                Kind.OTHER, "home replied with %d values".formatted(reply.size()), null);
          });
    }

    @Override
    public CompletionStage<Long> reset(byte[] key) {
      return one(Operation.RESET, key);
    }

    @Override
    public CompletionStage<Long> publishReturn(byte[] key) {
      return one(Operation.RETURNED, key);
    }

    private CompletionStage<Long> one(Operation operation, byte[] key) {
      return call(operation, List.of(new String(key, StandardCharsets.UTF_8)), new byte[0])
          .thenApply(done -> 1L);
    }

    /** Returns 0: the size of home's database is that region's to know. */
    @Override
    public CompletionStage<Long> size() {
      return CompletableFuture.completedStage(0L);
    }

    @Override
    public int hashSlot(String key) {
      return 0;
    }

    @Override
    public boolean keepsReservations() {
      return true;
    }

    /** Lists nothing: reservations are listed in the region that issued their ids. */
    @Override
    public CompletionStage<List<Object>> reservations(byte[][] keys, byte[]... arguments) {
      return CompletableFuture.completedStage(List.of(0L));
    }

    /** Does nothing: the client is closed by its creator. */
    @Override
    public void close() {}
  }
}
