package io.headgate.server.grpc;

import io.headgate.CheckResult;
import io.headgate.Decision;
import io.headgate.JointResult;
import io.headgate.LimitReport;
import io.headgate.server.api.RateLimitHeaders;
import io.headgate.server.grpc.proto.HeaderValue;
import io.headgate.server.grpc.proto.RateLimitResponse;
import io.headgate.server.grpc.proto.RateLimitResponse.Code;
import io.headgate.server.grpc.proto.RateLimitResponse.DescriptorStatus;
import java.time.Duration;
import java.util.Optional;

/**
 * Builds Envoy's response from the result of a call.
 *
 * <p>A delayed request is reported as OK, since Envoy can't wait: a queue admits at once every
 * request that it has room for.
 */
final class DescriptorStatuses {
  private final RateLimitHeaders headers;

  DescriptorStatuses(RateLimitHeaders headers) {
    this.headers = headers;
  }

  /** Returns the response: the overall code, one status per descriptor, and headers to add. */
  RateLimitResponse of(JointResult result) {
    var response = RateLimitResponse.newBuilder().setOverallCode(code(result.whole()));
    for (var one : result.each()) response.addStatuses(status(one));
    headers.write(
        result.whole(),
        0,
        (name, value) ->
            response.addResponseHeadersToAdd(
                HeaderValue.newBuilder().setKey(name.toString()).setValue(value.toString())));
    return response.build();
  }

  private static Code code(CheckResult result) {
    return result.isAllowed() ? Code.OK : Code.OVER_LIMIT;
  }

  private static DescriptorStatus status(CheckResult result) {
    var status = DescriptorStatus.newBuilder().setCode(code(result));
    // Envoy adds no rate limit headers for a descriptor without a limit.
    reportedLimit(result)
        .filter(LimitReport::isKnown)
        .ifPresent(report ->
            status
                .setCurrentLimit(EnvoyUnits.of(report))
                .setLimitRemaining(EnvoyUnits.uint32(report.remaining()))
                .setDurationUntilReset(duration(untilReset(result, report))));
    if (isEndless(result.decision())) status.clearDurationUntilReset();
    return status.build();
  }

  /** Returns the limit that decided or, if only shadow rules apply, the first of those. */
  private static Optional<LimitReport> reportedLimit(CheckResult result) {
    var decider = result.limit();
    return decider.isPresent() ? decider : result.limits().stream().findFirst();
  }

  private static Duration untilReset(CheckResult result, LimitReport report) {
    return result.decision() instanceof Decision.Denied(var after) ? after : report.resetAfter();
  }

  private static boolean isEndless(Decision decision) {
    return decision instanceof Decision.Denied denied && denied.isEndless();
  }

  private static com.google.protobuf.Duration duration(Duration time) {
    return com.google.protobuf.Duration.newBuilder()
        .setSeconds(time.getSeconds())
        .setNanos(time.getNano())
        .build();
  }
}
