package io.headgate.internal.script;

import io.headgate.limit.HeldState;
import io.headgate.limit.ReturnHistory;
import io.headgate.limit.State;
import io.headgate.reservation.ReservationRecord;
import java.nio.BufferUnderflowException;
import java.util.concurrent.TimeUnit;

/**
 * Checks batches that other regions send, before a server evaluates them: runs each on counters
 * without states. So a batch that passes is well-formed, and all its numbers are in range.
 * Thread-safe.
 */
public final class BatchValidator {
  /** The counters of a batch that is checked. They have no states. */
  private record NoStates(long now, long maxLease) implements ScriptInterpreter.Memory {
    @Override
    public State get(String key) {
      return State.FRESH;
    }

    @Override
    public void put(String key, State state) {
      if (!(state instanceof HeldState held)) return;
      for (var hold : held.holds()) {
        if (hold.until() - now <= maxLease) continue;
        throw new IllegalArgumentException(
            "a hold of %d us is longer than home waits after a restart, %d us"
                .formatted(hold.until() - now, maxLease));
      }
    }

    @Override
    public ReservationRecord reservation(String key, long expiresAt) {
      return ReservationRecord.open(expiresAt);
    }

    @Override
    public void put(String key, ReservationRecord record) {}

    @Override
    public void put(String key, ReturnHistory returns) {}
  }

  private final ScriptInterpreter interpreter =
      new ScriptInterpreter(LimitDecoder.withoutCalendars());

  /**
   * Requires that a batch is valid.
   *
   * @param maxLease the longest lease of a hold, in microseconds
   * @throws IllegalArgumentException if it is not, or brings its own time
   */
  public synchronized void require(byte[][] keys, byte[] argument, long maxLease) {
    if (hasTime(argument)) {
      throw new IllegalArgumentException("a batch is malformed: it has a time of its own");
    }
    long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    var unused = interpreter.run(keys, argument, now, new NoStates(now, maxLease));
  }

  private static boolean hasTime(byte[] argument) {
    try {
      return ScriptInterpreter.timeOf(argument) >= 0;
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("a batch is malformed: it ends early", e);
    }
  }
}
