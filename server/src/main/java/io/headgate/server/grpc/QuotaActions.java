package io.headgate.server.grpc;

import com.google.protobuf.Duration;
import com.google.protobuf.UInt32Value;
import io.headgate.server.grpc.proto.RateLimitQuotaResponse;
import io.headgate.server.grpc.proto.RateLimitQuotaResponse.BucketAction;
import io.headgate.server.grpc.proto.RateLimitQuotaResponse.BucketAction.AbandonAction;
import io.headgate.server.grpc.proto.RateLimitQuotaResponse.BucketAction.QuotaAssignmentAction;
import io.headgate.server.grpc.proto.RateLimitStrategy;
import io.headgate.server.grpc.proto.RateLimitStrategy.BlanketRule;
import io.headgate.server.grpc.proto.TokenBucket;
import io.headgate.server.quota.QuotaAction;
import io.headgate.server.quota.QuotaStrategy;
import java.util.List;

/**
 * Builds Envoy's messages of quota assignments.
 *
 * <p>Envoy starts a token bucket full, refills it continuously, keeps its tokens if the same bucket
 * is assigned again, and in some versions keeps their proportion if another one is. An assignment
 * that begins anew is therefore preceded by one that denies, in the same message: the actions of a
 * message are applied in order, and requests see only the last. The fill interval is always the
 * same, since Envoy ignores its seconds in comparisons, and has no fraction of a second, which
 * Envoy would round down.
 */
final class QuotaActions {
  /** One token a year: a token bucket needs a rate, and an assignment must not be refilled. */
  private static final Duration YEAR = Duration.newBuilder().setSeconds(365 * 86_400L).build();

  private static final RateLimitStrategy ALLOW = blanket(BlanketRule.ALLOW_ALL);
  private static final RateLimitStrategy DENY = blanket(BlanketRule.DENY_ALL);

  private final Duration ttl;

  /** Creates the builder of assignments with a lifetime of whole seconds. */
  QuotaActions(java.time.Duration ttl) {
    this.ttl = Duration.newBuilder().setSeconds(ttl.toSeconds()).build();
  }

  RateLimitQuotaResponse of(List<QuotaAction<BucketName>> actions) {
    var response = RateLimitQuotaResponse.newBuilder();
    for (var action : actions) add(response, action);
    return response.build();
  }

  private void add(RateLimitQuotaResponse.Builder response, QuotaAction<BucketName> action) {
    var id = action.bucket().message();
    switch (action) {
      case QuotaAction.Abandon<BucketName> abandon ->
          response.addBucketAction(
              BucketAction.newBuilder()
                  .setBucketId(id)
                  .setAbandonAction(AbandonAction.getDefaultInstance()));
      case QuotaAction.Assign<BucketName>(var bucket, var strategy, boolean replaces) -> {
        var assigned = BucketAction.newBuilder().setBucketId(id);
        if (replaces && strategy instanceof QuotaStrategy.Tokens) {
          response.addBucketAction(assigned.setQuotaAssignmentAction(assignment(DENY)).build());
        }
        response.addBucketAction(assigned.setQuotaAssignmentAction(assignment(of(strategy))));
      }
    }
  }

  private QuotaAssignmentAction assignment(RateLimitStrategy strategy) {
    return QuotaAssignmentAction.newBuilder()
        .setAssignmentTimeToLive(ttl)
        .setRateLimitStrategy(strategy)
        .build();
  }

  private static RateLimitStrategy of(QuotaStrategy strategy) {
    return switch (strategy) {
      case QuotaStrategy.AllowAll all -> ALLOW;
      case QuotaStrategy.DenyAll none -> DENY;
      case QuotaStrategy.Tokens(long permits) ->
          RateLimitStrategy.newBuilder()
              .setTokenBucket(
                  TokenBucket.newBuilder()
                      .setMaxTokens((int) permits) // unsigned
                      .setTokensPerFill(UInt32Value.of(1))
                      .setFillInterval(YEAR))
              .build();
    };
  }

  private static RateLimitStrategy blanket(BlanketRule rule) {
    return RateLimitStrategy.newBuilder().setBlanketRule(rule).build();
  }
}
