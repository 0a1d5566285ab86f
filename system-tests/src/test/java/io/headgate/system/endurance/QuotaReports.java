package io.headgate.system.endurance;

import com.google.protobuf.Duration;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaServiceGrpc;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One quota stream of an Envoy, which stays open. A call is the report of one bucket, which spends
 * what the service has assigned to it. It fails if the stream has ended, or if no bucket was
 * assigned anything for long.
 */
final class QuotaReports implements Calls {
  private static final long MAX_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final int BUCKETS = 5;
  private static final int MAX_SPENT = 10;

  private final ManagedChannel channel;
  private final StreamObserver<RateLimitQuotaUsageReports> reports;
  private final Map<BucketId, Long> tokens = new HashMap<>();
  private final Map<BucketId, RateLimitStrategy> strategies = new HashMap<>();
  private long lastAssignment = System.nanoTime();
  private @Nullable Throwable failure;

  QuotaReports(ManagedChannel channel) {
    this.channel = channel;
    this.reports =
        RateLimitQuotaServiceGrpc.newStub(channel)
            .streamRateLimitQuotas(
                new StreamObserver<>() {
                  @Override
                  public void onNext(RateLimitQuotaResponse response) {
                    assign(response);
                  }

                  @Override
                  public void onError(Throwable problem) {
                    fail(problem);
                  }

                  @Override
                  public void onCompleted() {
                    fail(new IllegalStateException("the quota stream has ended"));
                  }
                });
  }

  private synchronized void fail(Throwable problem) {
    failure = problem;
  }

  private synchronized void assign(RateLimitQuotaResponse response) {
    lastAssignment = System.nanoTime();
    for (var action : response.getBucketActionList()) {
      var id = action.getBucketId();
      if (action.hasAbandonAction()) {
        strategies.remove(id);
        tokens.remove(id);
        continue;
      }
      var strategy = action.getQuotaAssignmentAction().getRateLimitStrategy();
      // The same strategy again extends the assignment, and leaves its tokens.
      if (strategy.equals(strategies.put(id, strategy))) continue;
      tokens.put(id, Integer.toUnsignedLong(strategy.getTokenBucket().getMaxTokens()));
    }
  }

  @Override
  public synchronized CompletionStage<Reply> call(SplittableRandom random) {
    if (failure != null) return CompletableFuture.failedStage(failure);
    long silence = System.nanoTime() - lastAssignment;
    if (silence > MAX_SILENCE_NANOS) {
      lastAssignment = System.nanoTime(); // reported once
      return CompletableFuture.failedStage(
          new IllegalStateException("no assignment for %d s".formatted(silence / 1_000_000_000)));
    }
    var id =
        BucketId.newBuilder().putBucket("key", Keys.of("quota:", random.nextInt(BUCKETS))).build();
    long held = tokens.getOrDefault(id, 0L);
    long wanted = random.nextInt(MAX_SPENT);
    long allowed = Math.min(wanted, held);
    tokens.put(id, held - allowed);
    reports.onNext(
        RateLimitQuotaUsageReports.newBuilder()
            .setDomain("endurance")
            .addBucketQuotaUsages(
                BucketQuotaUsage.newBuilder()
                    .setBucketId(id)
                    .setTimeElapsed(Duration.newBuilder().setNanos(100_000_000))
                    .setNumRequestsAllowed(allowed)
                    .setNumRequestsDenied(wanted - allowed))
            .build());
    return CompletableFuture.completedStage(Reply.DONE);
  }

  /** Restarts the time without assignments after a pause of the reports. */
  synchronized void resumed() {
    lastAssignment = System.nanoTime();
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
