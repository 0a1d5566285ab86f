package io.headgate.benchmarks;

import io.headgate.redis.RoundTripListener;
import java.util.concurrent.atomic.LongAdder;

/** How much was asked of Redis, and in how many calls. */
final class Sent implements RoundTripListener {
  private final LongAdder questions = new LongAdder();
  private final LongAdder calls = new LongAdder();

  @Override
  public void ended(int asked, long nanos) {
    questions.add(asked);
    calls.increment();
  }

  long questions() {
    return questions.sum();
  }

  long calls() {
    return calls.sum();
  }
}
