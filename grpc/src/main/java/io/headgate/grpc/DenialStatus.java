package io.headgate.grpc;

import com.google.protobuf.Any;
import com.google.rpc.Code;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.headgate.Decision;
import java.time.Duration;
import java.util.Optional;

/**
 * The status of a denied call: {@code RESOURCE_EXHAUSTED} with {@code google.rpc.RetryInfo} in its
 * details, and the time for gRPC's own retries in {@code grpc-retry-pushback-ms}.
 */
final class DenialStatus {
  static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);

  /** Returns the status and trailers of a denial; empty if the decision allows the call. */
  static Optional<StatusRuntimeException> of(Admission admission) {
    return switch (admission.decision()) {
      case Decision.Allowed allowed -> Optional.empty();
      case Decision.Delayed delayed -> Optional.empty();
      case Decision.Denied denied when denied.isEndless() ->
          Optional.of(exhausted(admission, "denies every call", Optional.empty()));
      case Decision.Denied(var retryAfter) ->
          Optional.of(
              exhausted(
                  admission,
                  "is exceeded; retry after %d ms".formatted(millis(retryAfter)),
                  Optional.of(retryAfter)));
      case Decision.Impossible(var cost, var capacity) ->
          Optional.of(
              exhausted(
                  admission,
                  "grants at most %d permits, and the call costs %d".formatted(capacity, cost),
                  Optional.empty()));
    };
  }

  /** Returns the status of a call that could not be decided. */
  static Status undecided(Throwable cause) {
    return Status.UNAVAILABLE
        .withDescription("the call could not be checked against its limits")
        .withCause(cause);
  }

  private static StatusRuntimeException exhausted(
      Admission admission, String what, Optional<Duration> retryAfter) {
    String message =
        admission.rule().map(rule -> "limit '" + rule + "' ").orElse("the limit ") + what;
    var status =
        com.google.rpc.Status.newBuilder()
            .setCode(Code.RESOURCE_EXHAUSTED.getNumber())
            .setMessage(message);
    retryAfter.ifPresent(time -> status.addDetails(Any.pack(retryInfo(time))));
    var trailers = new Metadata();
    trailers.put(PUSHBACK, retryAfter.map(time -> Long.toString(millis(time))).orElse("-1"));
    return StatusProto.toStatusRuntimeException(status.build(), trailers);
  }

  private static RetryInfo retryInfo(Duration time) {
    var delay =
        com.google.protobuf.Duration.newBuilder()
            .setSeconds(time.getSeconds())
            .setNanos(time.getNano());
    return RetryInfo.newBuilder().setRetryDelay(delay).build();
  }

  private static long millis(Duration time) {
    return Math.ceilDiv(time.toNanos(), 1_000_000);
  }

  private DenialStatus() {}
}
