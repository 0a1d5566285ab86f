package io.headgate.grpc;

import io.grpc.Status;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The slots of one call, released once: when it closes or is cancelled. Thread-safe. */
final class CallSlots {
  private final long startedAt = System.nanoTime();
  private final AtomicReference<@Nullable SlotRelease> slots = new AtomicReference<>();

  CallSlots(Optional<SlotRelease> slots) {
    this.slots.set(slots.orElse(null));
  }

  /** Releases the slots after a call with a status. */
  void closed(Status status) {
    long micros = Math.min((System.nanoTime() - startedAt) / 1_000, CompletedCall.MAX_MICROS);
    release(Optional.of(new CompletedCall(outcome(status), Math.max(0, micros))));
  }

  /** Releases the slots of a call that ended without a status of its own. */
  void cancelled() {
    release(Optional.empty());
  }

  private void release(Optional<CompletedCall> call) {
    var held = slots.getAndSet(null);
    if (held != null) held.release(call);
  }

  private static CallOutcome outcome(Status status) {
    return switch (status.getCode()) {
      case OK -> CallOutcome.SUCCESS;
      case DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE -> CallOutcome.DROPPED;
      case CANCELLED,
          UNKNOWN,
          INVALID_ARGUMENT,
          NOT_FOUND,
          ALREADY_EXISTS,
          PERMISSION_DENIED,
          FAILED_PRECONDITION,
          ABORTED,
          OUT_OF_RANGE,
          UNIMPLEMENTED,
          INTERNAL,
          DATA_LOSS,
          UNAUTHENTICATED ->
          CallOutcome.ERROR;
    };
  }
}
