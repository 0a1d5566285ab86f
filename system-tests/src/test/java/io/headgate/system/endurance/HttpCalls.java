package io.headgate.system.endurance;

import static io.headgate.system.endurance.Keys.json;

import io.vertx.core.http.HttpMethod;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Calls of the HTTP API over one connection. */
final class HttpCalls implements Calls {
  /** The call of one kind. */
  @FunctionalInterface
  interface Kind {
    CompletionStage<Reply> call(HttpChannel channel, SplittableRandom random);
  }

  private static final CompletionStage<Reply> FALLBACK =
      CompletableFuture.completedStage(Reply.LATE);

  private final HttpChannel channel;
  private final Kind kind;

  HttpCalls(HttpChannel channel, Kind kind) {
    this.channel = channel;
    this.kind = kind;
  }

  /** Checks, and sometimes peeks or checks a batch. */
  static CompletionStage<Reply> check(HttpChannel channel, SplittableRandom random) {
    int kind = random.nextInt(20);
    if (kind == 0) {
      return channel
          .post("/v1/peek", json(Keys.of("open:", random)))
          .thenApply(answer -> Reply.of(answer.expect(200, 429).body(), false));
    }
    if (kind == 1) {
      var checks = json(Keys.of("open:", random)) + "," + json(Keys.of("leased:", random));
      return channel
          .post("/v1/check/batch", "{\"checks\":[%s]}".formatted(checks))
          .thenApply(answer -> ended(answer, 200));
    }
    var key = Keys.any(random);
    return channel
        .post("/v1/check", json(key))
        .thenApply(answer -> Reply.of(answer.expect(200, 429).body(), key.equals(Keys.STRICT)));
  }

  /** Acquires a slot, sometimes renews it, and releases it. */
  static CompletionStage<Reply> slot(HttpChannel channel, SplittableRandom random) {
    boolean renews = random.nextInt(4) == 0;
    return channel
        .post("/v1/slots", json(Keys.of("slots:", random)))
        .thenCompose(acquired -> {
          if (acquired.isFallback()) return FALLBACK;
          String path = "/v1/slots/" + acquired.expect(201).id();
          CompletionStage<?> held =
              renews
                  ? channel.send(HttpMethod.PUT, path, "")
                  : CompletableFuture.completedStage(acquired);
          return held.thenCompose(unused -> channel.send(HttpMethod.DELETE, path, ""))
              // The store may not have a slot that was granted because its reply was late.
              .thenCompose(released ->
                  acquired.body().contains("\"source\":\"cache\"")
                      ? FALLBACK
                      : CompletableFuture.completedStage(ended(released, 204)));
        });
  }

  /** Reserves, and settles, cancels or, rarely, leaves the reservation to its expiry. */
  static CompletionStage<Reply> reservation(HttpChannel channel, SplittableRandom random) {
    int end = random.nextInt(20);
    var body =
        "{\"key\":\"%s\",\"cost\":10,\"ttlMs\":2000}".formatted(Keys.of("reserved:", random));
    return channel
        .post("/v1/reservations", body)
        .thenCompose(made -> {
          if (made.isFallback()) return FALLBACK;
          String path = "/v1/reservations/" + made.expect(201).id();
          if (end == 0) return CompletableFuture.completedStage(Reply.DONE);
          return end < 5
              ? channel.send(HttpMethod.DELETE, path, "").thenApply(reply -> ended(reply, 204))
              : channel
                  .post(path + "/settle", "{\"cost\":7}")
                  .thenApply(reply -> ended(reply, 200));
        });
  }

  /** Leases permits, sometimes renews them, and releases them. */
  static CompletionStage<Reply> lease(HttpChannel channel, SplittableRandom random) {
    var key = Keys.of("leased:", random);
    boolean renews = random.nextBoolean();
    return channel
        .post("/v1/leases", "{\"key\":\"%s\",\"checks\":20}".formatted(key))
        .thenCompose(leased -> {
          if (hasNoLease(leased)) return FALLBACK;
          var path = "/v1/leases/" + leased.id();
          if (!renews) return release(channel, path, key);
          return channel
              .send(
                  HttpMethod.PUT, path, "{\"key\":\"%s\",\"used\":7,\"checks\":20}".formatted(key))
              .thenCompose(renewed ->
                  hasNoLease(renewed)
                      ? FALLBACK
                      : release(channel, "/v1/leases/" + renewed.id(), key));
        });
  }

  /** Returns whether there is no lease at present. */
  private static boolean hasNoLease(HttpChannel.Answer answer) {
    return answer.isFallback() || !answer.expect(200, 201).body().contains("\"id\":");
  }

  private static CompletionStage<Reply> release(HttpChannel channel, String path, String key) {
    return channel
        .post(path + "/release", "{\"key\":\"%s\",\"used\":3}".formatted(key))
        .thenApply(released -> ended(released, 204));
  }

  private static Reply ended(HttpChannel.Answer answer, int status) {
    if (answer.isFallback()) return Reply.LATE;
    answer.expect(status);
    return Reply.DONE;
  }

  @Override
  public CompletionStage<Reply> call(SplittableRandom random) {
    return kind.call(channel, random);
  }

  @Override
  public int maxInFlight() {
    return channel.isMultiplexed() ? 64 : 4;
  }

  @Override
  public int connections() {
    return channel.opened();
  }

  @Override
  public void close() {
    channel.close();
  }
}
