package io.headgate.rule;

import io.headgate.limit.Concurrency;
import io.headgate.limit.Divisible;
import io.headgate.limit.Held;
import io.headgate.limit.Limit;
import io.headgate.limit.State;
import io.headgate.limit.Step;

/** One limit's part in a plan: which state, and what it is to be charged. */
public record Charge(Counter counter, String key, long cost, long holder) {

  public Limit limit() {
    return counter.limit();
  }

  /** Asks the limit, given the state that is kept under this counter and key. */
  public Step step(State state, long now) {
    if (state instanceof Held held) {
      return limit() instanceof Divisible divisible
          ? held.step(divisible, now, cost)
          : step(held.state(), now);
    }
    return limit() instanceof Concurrency slots
        ? slots.step(state, now, cost, holder)
        : limit().step(state, now, cost);
  }

  Charge sharedAmong(int n) {
    return n == 1 ? this : new Charge(counter.sharedAmong(n), key, cost, holder);
  }

  /** The state that it is of. */
  Place place() {
    return new Place(counter, key);
  }

  Charge plus(long more) {
    return more == 0 ? this : new Charge(counter, key, cost + more, holder);
  }

  /** The same charge under another limit of the same name. */
  Charge under(Counter other) {
    return new Charge(other, key, cost, holder);
  }

  Charge atNoCost() {
    return new Charge(counter, key, 0, holder);
  }
}
