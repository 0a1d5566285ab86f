package io.headgate.limit;

import io.headgate.limit.Outcome.Refused;

/** A limit that refuses every request, even one of cost 0. */
public record Deny() implements Stateless {
  /**
   * The retry time, in microseconds, of a denial without an end: 100 years, which is the longest
   * duration.
   */
  public static final long ENDLESS = Bounds.micros(Bounds.MAX_DURATION);

  @Override
  public Step step(State state, long now, long cost) {
    return new Step(state, new Refused(0, 0, ENDLESS));
  }

  @Override
  public long capacity() {
    return 0;
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.DENY;
  }
}
