package io.headgate.limit;

import io.headgate.limit.Outcome.Passed;

/** Applies a fair limit to requests of several tenants, one after the other. */
final class FairRun {
  private final FairShare limit;
  private State state = State.FRESH;
  private Outcome last = new Passed(0, 0, 0);

  FairRun(FairShare limit) {
    this.limit = limit;
  }

  static FairShare limit(Rate rate, long burst) {
    return new FairShare(new TokenBucket(rate, burst), FairSharing.among("tenant"));
  }

  static Share tenant(int number, int weight) {
    return new Share("t" + number, weight);
  }

  boolean check(long now, long cost, Share share) {
    var step = limit.step(state, now, cost, share);
    state = step.state();
    last = step.outcome();
    return last instanceof Passed;
  }

  Outcome peek(long now, long cost, Share share) {
    return limit.step(state, now, cost, share).outcome();
  }

  Outcome last() {
    return last;
  }

  State state() {
    return state;
  }

  FairState fairState() {
    return (FairState) state;
  }
}
