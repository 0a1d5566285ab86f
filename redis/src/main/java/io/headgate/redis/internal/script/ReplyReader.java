package io.headgate.redis.internal.script;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.State;
import io.headgate.rule.Charge;

/** What the script has said of a batch, to be read in the order of its asks. */
public final class ReplyReader {
  private static final int PASSED = 0;
  private static final int REFUSED = 1;
  private static final int NEVER = 2;

  private final MessagePackReader numbers;
  private final long now;

  /** The state that was found, as those who have read it leave it to those who asked the same. */
  private State found = State.FRESH;

  private long unread;

  public ReplyReader(byte[] answer) {
    numbers = new MessagePackReader(answer);
    now = numbers.next();
  }

  /** The time on the server, by which all of the batch was decided. */
  long now() {
    return now;
  }

  long next() {
    return numbers.next();
  }

  State state() {
    return LimitEncoding.state(numbers);
  }

  Outcome outcome(Charge charge) {
    if (unread > 0) return ofFound(charge);
    long kind = numbers.next();
    if (kind > NEVER) {
      unread = kind - NEVER;
      found = LimitEncoding.found(charge.limit(), numbers.next(), numbers.next());
      return ofFound(charge);
    }
    long remaining = numbers.next();
    long resetAfter = numbers.next();
    long wait = numbers.next();
    return switch ((int) kind) {
      case PASSED -> new Passed(remaining, resetAfter, wait);
      case REFUSED -> new Refused(remaining, resetAfter, wait);
      // The cost asked for may be more than the charge's own: with that of others before it.
      case NEVER ->
          new ExceedsCapacity(
              remaining, resetAfter, Math.max(wait, charge.cost()), charge.limit().highestCost());
      default -> throw new IllegalStateException("the script said " + kind);
    };
  }

  /** The server has charged whoever passes, by the same arithmetic. */
  private Outcome ofFound(Charge charge) {
    unread--;
    var step = charge.limit().step(found, now, charge.cost());
    found = step.state();
    return step.outcome();
  }
}
