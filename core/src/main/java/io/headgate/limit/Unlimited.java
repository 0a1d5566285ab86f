package io.headgate.limit;

import io.headgate.limit.Outcome.Passed;

/** A limit that passes every request. An override with it excuses its subjects from the rule. */
public record Unlimited() implements Stateless {
  @Override
  public Step step(State state, long now, long cost) {
    return new Step(state, new Passed(capacity(), 0, 0));
  }

  @Override
  public long capacity() {
    return Long.MAX_VALUE;
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.UNLIMITED;
  }
}
