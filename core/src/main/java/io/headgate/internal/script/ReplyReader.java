package io.headgate.internal.script;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.FairShare;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.State;
import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationReply;
import io.headgate.reservation.ReservationReply.CounterReply;
import io.headgate.reservation.ReservationReply.Status;
import io.headgate.rule.Charge;
import java.util.ArrayList;
import java.util.List;

/** Reads the reply of the script to a batch, in the order of its commands. Not thread-safe. */
final class ReplyReader {
  private static final int PASSED_BESIDE_HOLDS = -1;
  private static final int PASSED = 0;
  private static final int REFUSED = 1;
  private static final int EXCEEDS_CAPACITY = 2;
  private static final int SETTLED_AS_REQUESTED = 4; // of operations on reservations
  private static final int SETTLED_WITH_PERMITS_AGAIN = 5;

  private final MessagePackReader numbers;
  private final long now;

  /** The stored state, advanced by each of the equal commands that it answers. */
  private State stored = State.FRESH;

  private long repliesLeft;
  private long freshAfter;

  ReplyReader(byte[] reply) {
    numbers = new MessagePackReader(reply);
    now = numbers.next();
  }

  /** Returns the server time at which the batch was executed, in microseconds. */
  long now() {
    return now;
  }

  long next() {
    return numbers.next();
  }

  State state() {
    return LimitEncoding.readState(numbers);
  }

  /**
   * Returns the time at which the counter of the last outcome would be fresh without later charges
   * and without its holds, in microseconds.
   */
  long freshAt() {
    return now + freshAfter;
  }

  Outcome outcome(Charge charge) {
    var outcome = nextOutcome(charge);
    if (freshAfter < 0) freshAfter = outcome.resetAfter();
    return outcome;
  }

  private Outcome nextOutcome(Charge charge) {
    freshAfter = -1;
    if (repliesLeft > 0) return fromStored(charge);
    long kind = numbers.next();
    if (kind > EXCEEDS_CAPACITY) {
      repliesLeft = kind - EXCEEDS_CAPACITY;
      stored = LimitEncoding.storedState(charge.limit(), numbers.next(), numbers.next());
      return fromStored(charge);
    }
    long remaining = numbers.next();
    long resetAfter = numbers.next();
    long wait = numbers.next();
    long limit = charge.limit() instanceof AdaptiveConcurrency ? numbers.next() : 0;
    return switch ((int) kind) {
      case PASSED -> new Passed(remaining, resetAfter, wait, limit);
      case PASSED_BESIDE_HOLDS -> {
        freshAfter = numbers.next();
        yield new Passed(remaining, resetAfter, wait, limit);
      }
      case REFUSED -> {
        var refused = new Refused(remaining, resetAfter, wait, limit);
        yield charge.limit() instanceof FairShare
            ? refused.withCertainFor(numbers.next())
            : refused;
      }
      // The evaluated cost may exceed the charge's own: it includes earlier charges of the counter.
      case EXCEEDS_CAPACITY ->
          new ExceedsCapacity(
              remaining,
              resetAfter,
              Math.max(wait, charge.cost()),
              charge.limit().maxCost(),
              limit);
      default ->
          throw new IllegalStateException("unknown outcome in the reply of the script: " + kind);
    };
  }

  /**
   * Reads the reply to an operation on a reservation: the status and its fields, or only the
   * permits that are left if the reservation was settled as the command requests.
   */
  ReservationReply reservation(ReservationCommand command) {
    long kind = numbers.next();
    if (kind == SETTLED_AS_REQUESTED || kind == SETTLED_WITH_PERMITS_AGAIN) {
      return settled(command, kind == SETTLED_WITH_PERMITS_AGAIN);
    }
    var status =
        switch ((int) kind) {
          case 0 -> Status.UNKNOWN;
          case 1 -> Status.OPEN;
          case 2 -> Status.SETTLED;
          case 3 -> Status.EXPIRED;
          default -> throw new IllegalStateException("unknown status in the reply of the script");
        };
    if (status == Status.UNKNOWN) return ReservationReply.UNKNOWN;
    long expiresAt = numbers.next();
    boolean grown = numbers.next() == 1;
    int size = command.entries().size();
    var counters = new ArrayList<CounterReply>(size);
    for (int i = 0; i < size; i++) {
      long charged = numbers.next();
      long used = numbers.next() - 1;
      long remaining = numbers.next();
      boolean wasExhausted = numbers.next() == 1;
      counters.add(new CounterReply(charged, used, remaining, wasExhausted, numbers.next()));
    }
    return new ReservationReply(status, expiresAt, grown, counters);
  }

  private ReservationReply settled(ReservationCommand command, boolean wasExhausted) {
    var entry = command.entries().getFirst();
    long used = entry.target();
    long charged = used == ReservationCommand.UNREPORTED ? entry.reserved().charge().cost() : used;
    var counter = new CounterReply(charged, used, numbers.next(), wasExhausted, 0);
    return new ReservationReply(Status.SETTLED, command.expiresAt(), false, List.of(counter));
  }

  /** Computes an outcome from the stored state, with the arithmetic by which the server charged. */
  private Outcome fromStored(Charge charge) {
    repliesLeft--;
    var step = charge.limit().step(stored, now, charge.cost());
    stored = step.state();
    return step.outcome();
  }
}
