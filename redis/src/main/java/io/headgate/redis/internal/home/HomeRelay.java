package io.headgate.redis.internal.home;

import io.headgate.internal.script.BatchValidator;
import io.headgate.internal.script.CounterKeys;
import io.headgate.internal.script.ScriptConnection;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Executes calls of other regions on the Redis at home, as if they had a connection to it. A call
 * reaches counters only, at the time of the server's clock, and holds permits no longer than home
 * waits after a restart. Thread-safe.
 */
public final class HomeRelay {
  private static final int MAX_REPORT = 32_768;
  private static final int MAX_INSTANCE = 64;

  /** The operations of home's Redis. */
  public interface Redis {
    /** Returns a connection whose calls pass the guard of home. */
    ScriptConnection guarded();

    /** Returns a connection for rules that are decided at home. */
    ScriptConnection strict();

    /** Opens home if it has started again. */
    CompletionStage<?> heartbeat();

    /** Publishes the report of an instance, and returns those of all. */
    CompletionStage<List<byte[]>> report(byte[] instance, byte[] report);
  }

  private final Redis redis;
  private final String prefix;
  private final long maxLease;
  private final Duration deadline;
  private final BatchValidator validator = new BatchValidator();

  /**
   * Creates a relay.
   *
   * @param prefix the prefix of every key at home
   * @param maxLease the longest lease that a restarted home waits for
   * @param deadline how long a call waits for Redis
   */
  public HomeRelay(Redis redis, String prefix, Duration maxLease, Duration deadline) {
    this.redis = redis;
    this.prefix = prefix;
    this.maxLease = maxLease.toNanos() / 1_000;
    this.deadline = deadline;
  }

  /**
   * Executes a call.
   *
   * @return the reply as bytes. A failure of Redis is a reply as well, and the stage does not fail
   * @throws IllegalArgumentException if the call is malformed; nothing is executed then
   */
  public CompletionStage<byte[]> execute(byte[] bytes) {
    var call = HomeCall.parse(bytes);
    if (call.lease() > maxLease) {
      return CompletableFuture.completedStage(
          HomeReply.of(
              new StoreException(
                  Kind.REFUSED,
                  "this region asks for leases of %d us and home allows %d us; use the same --region-lease in all regions"
                      .formatted(call.lease(), maxLease),
                  null)));
    }
    return run(call)
        .toCompletableFuture()
        .copy()
        .orTimeout(deadline.toNanos(), TimeUnit.NANOSECONDS)
        .handle((values, problem) ->
            problem == null ? HomeReply.of(values) : HomeReply.of(failure(problem)));
  }

  private CompletionStage<List<byte[]>> run(HomeCall call) {
    return switch (call.operation()) {
      case GUARDED -> evaluate(redis.guarded(), call);
      case STRICT -> evaluate(redis.strict(), call);
      case HEARTBEAT -> redis.heartbeat().thenApply(done -> List.of());
      case RESET -> redis.strict().reset(onlyKey(call)).thenApply(done -> List.of());
      case RETURNED -> redis.strict().publishReturn(onlyKey(call)).thenApply(done -> List.of());
      case REPORT -> report(call);
    };
  }

  private CompletionStage<List<byte[]>> evaluate(ScriptConnection connection, HomeCall call) {
    var keys = call.keys().stream().map(this::key).toArray(byte[][]::new);
    validator.require(keys, call.argument(), maxLease);
    return connection.decide(keys, call.argument()).thenApply(List::of);
  }

  private CompletionStage<List<byte[]>> report(HomeCall call) {
    var instance = call.keys().size() == 1 ? call.keys().getFirst() : "";
    if (instance.isEmpty()
        || instance.length() > MAX_INSTANCE
        || call.argument().length > MAX_REPORT) {
      throw new IllegalArgumentException("a call to home is malformed: its report is too long");
    }
    return redis.report(instance.getBytes(StandardCharsets.UTF_8), call.argument());
  }

  private byte[] onlyKey(HomeCall call) {
    if (call.keys().size() == 1) return key(call.keys().getFirst());
    throw new IllegalArgumentException("a call to home is malformed: it has several keys");
  }

  /**
   * Returns a key at home. Other keys than those of counters have no hash tag, or a reserved one.
   */
  private byte[] key(String key) {
    if (!CounterKeys.isOfCounter(key)) {
      throw new IllegalArgumentException("a call to home is malformed: a key is of no counter");
    }
    return (prefix + key).getBytes(StandardCharsets.UTF_8);
  }

  private static StoreException failure(Throwable problem) {
    var cause = problem instanceof CompletionException ? problem.getCause() : problem;
    if (cause instanceof StoreException known) return known;
    return cause instanceof TimeoutException
        ? new StoreException(Kind.TIMEOUT, "its Redis did not reply in time", cause)
        : new StoreException(Kind.OTHER, String.valueOf(cause), cause);
  }
}
