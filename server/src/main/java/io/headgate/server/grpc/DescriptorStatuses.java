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
 * What became of a call, in Envoy's terms.
 *
 * <p>A place in a line is a yes: Envoy can't be told to wait, so a queue lets pass what it has
 * places for, at once.
 */
final class DescriptorStatuses {
  private final RateLimitHeaders headers;

  DescriptorStatuses(RateLimitHeaders headers) {
    this.headers = headers;
  }

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
    spokenOf(result)
        .ifPresent(report ->
            status
                .setCurrentLimit(EnvoyUnits.of(report))
                .setLimitRemaining(EnvoyUnits.uint32(report.remaining()))
                .setDurationUntilReset(duration(untilMore(result, report))));
    return status.build();
  }

  /**
   * Where only shadow rules apply, the first of them: it does not decide, but it is what applies.
   */
  private static Optional<LimitReport> spokenOf(CheckResult result) {
    var decider = result.limit();
    return decider.isPresent() ? decider : result.limits().stream().findFirst();
  }

  private static Duration untilMore(CheckResult result, LimitReport report) {
    return result.decision() instanceof Decision.Denied(var after) ? after : report.resetAfter();
  }

  private static com.google.protobuf.Duration duration(Duration time) {
    return com.google.protobuf.Duration.newBuilder()
        .setSeconds(time.getSeconds())
        .setNanos(time.getNano())
        .build();
  }
}
