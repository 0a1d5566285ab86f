package io.headgate.benchmarks;

import io.headgate.redis.RoundTripListener;
import java.util.concurrent.atomic.LongAdder;

/** Counts the commands sent to Redis and the calls that carried them. */
final class Sent implements RoundTripListener {
  private final LongAdder commands = new LongAdder();
  private final LongAdder calls = new LongAdder();

  @Override
  public void onRoundTrip(int count, long nanos) {
    commands.add(count);
    calls.increment();
  }

  long commands() {
    return commands.sum();
  }

  long calls() {
    return calls.sum();
  }
}
