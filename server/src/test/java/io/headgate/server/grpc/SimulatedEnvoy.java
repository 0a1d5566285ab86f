package io.headgate.server.grpc;

import com.google.protobuf.util.Durations;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaServiceGrpc;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import io.headgate.server.quota.ProxyBucket;
import io.headgate.server.quota.QuotaStrategy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A model of Envoy with one bucket, on a channel of its own, with classes generated from Envoy's
 * protobuf files. Thread-safe.
 */
final class SimulatedEnvoy implements AutoCloseable {
  private final ManagedChannel channel;
  private final BucketId id;
  private final ProxyBucket bucket = new ProxyBucket(false);
  private final StreamObserver<RateLimitQuotaUsageReports> reports;
  private boolean subscribed;
  private @Nullable Throwable failure;

  SimulatedEnvoy(int port, Map<String, String> entries) {
    this.channel = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    this.id = BucketId.newBuilder().putAllBucket(entries).build();
    this.reports =
        RateLimitQuotaServiceGrpc.newStub(channel)
            .streamRateLimitQuotas(
                new StreamObserver<>() {
                  @Override
                  public void onNext(RateLimitQuotaResponse response) {
                    apply(response);
                  }

                  @Override
                  public void onError(Throwable problem) {
                    failed(problem);
                  }

                  @Override
                  public void onCompleted() {
                    failed(new IllegalStateException("the stream has ended"));
                  }
                });
  }

  private synchronized void failed(Throwable problem) {
    failure = problem;
  }

  private synchronized void apply(RateLimitQuotaResponse response) {
    for (var action : response.getBucketActionList()) {
      if (!action.getBucketId().equals(id)) {
        failure = new IllegalStateException("another bucket: " + action);
      } else if (action.hasAbandonAction()) {
        bucket.abandon();
        subscribed = false;
      } else {
        var assignment = action.getQuotaAssignmentAction();
        long ttl = Durations.toNanos(assignment.getAssignmentTimeToLive());
        bucket.apply(strategy(assignment.getRateLimitStrategy()), ttl, System.nanoTime());
      }
    }
  }

  private static QuotaStrategy strategy(RateLimitStrategy strategy) {
    if (strategy.hasTokenBucket()) {
      return new QuotaStrategy.Tokens(
          Integer.toUnsignedLong(strategy.getTokenBucket().getMaxTokens()));
    }
    return strategy.getBlanketRule() == RateLimitStrategy.BlanketRule.DENY_ALL
        ? new QuotaStrategy.DenyAll()
        : new QuotaStrategy.AllowAll();
  }

  /** Decides a request. The first one of a bucket is reported at once. */
  synchronized boolean request() {
    boolean admitted = bucket.request(System.nanoTime());
    if (!subscribed) {
      subscribed = true;
      report();
    }
    return admitted;
  }

  synchronized void report() {
    var usage = bucket.report();
    reports.onNext(
        RateLimitQuotaUsageReports.newBuilder()
            .setDomain("shop")
            .addBucketQuotaUsages(
                BucketQuotaUsage.newBuilder()
                    .setBucketId(id)
                    .setTimeElapsed(Durations.fromMillis(100))
                    .setNumRequestsAllowed(usage.allowed())
                    .setNumRequestsDenied(usage.denied()))
            .build());
  }

  synchronized long admitted() {
    return bucket.everAllowed();
  }

  synchronized boolean isAssigned() {
    return bucket.isAssigned();
  }

  synchronized @Nullable Throwable failure() {
    return failure;
  }

  /** Ends the connection without a report. */
  @Override
  public void close() {
    channel.shutdownNow();
  }
}
