package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.LeakyBucket.Queue;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Run.Turn;
import java.math.BigInteger;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.domains.Domain;

/** Constant output and bounded queues. */
@Domain(LimitArbitraries.class)
class LeakyBucketProperties {

  /**
   * Ideally a request is sent when it arrives, or one interval after the request before it, to a
   * fraction of a microsecond. It is never sent earlier, and less than a microsecond later:
   * rounding does not accumulate over the queue.
   */
  @Property(tries = 3_000)
  void requestsAreSentAtTheIdealTimeRoundedUp(@ForAll LeakyBucket limit, @ForAll History history) {
    var rate = limit.rate();
    var free = BigInteger.ZERO; // in microseconds / permits, as are all times here
    for (var turn : Run.admitted(limit, history.forward())) {
      var ideal = free.max(product(turn.now(), rate.permits()));
      var late = product(start(turn), rate.permits()).subtract(ideal);
      assertThat(late).isBetween(BigInteger.ZERO, BigInteger.valueOf(rate.permits() - 1));
      free = ideal.add(product(turn.cost(), rate.periodMicros()));
    }
  }

  @Property
  void longQueueEndsWithinAMicrosecondOfTheIdealTime(@ForAll Rate rate) {
    var limit = LeakyBucket.of(rate).withQueue(5_000);
    var run = new Run(limit, 0);
    for (int n = 0; n <= 5_000; n++) run.check(0, 1);
    var last = run.turns().getLast();
    var late = product(start(last), rate.permits()).subtract(product(5_000, rate.periodMicros()));
    assertThat(late).isBetween(BigInteger.ZERO, BigInteger.valueOf(rate.permits() - 1));
  }

  @Property
  void noRequestWaitsLongerThanTheMaximumWait(@ForAll LeakyBucket limit, @ForAll History history) {
    Assume.that(limit.queue() instanceof Queue.Wait);
    long max = Bounds.micros(((Queue.Wait) limit.queue()).max());
    for (var turn : Run.admitted(limit, history)) {
      assertThat(start(turn) - turn.now()).isBetween(0L, max);
    }
  }

  @Property
  void noRequestWaitsLongerThanTheLongestDelay(@ForAll LeakyBucket limit, @ForAll History history) {
    long longest = Bounds.micros(limit.longestDelay());
    for (var turn : Run.admitted(limit, history)) {
      assertThat(start(turn) - turn.now()).isBetween(0L, longest);
    }
  }

  @Property
  void lastRequestOfAFullQueueWaitsForTheLongestDelay(@ForAll Rate rate) {
    var limit = LeakyBucket.of(rate).withQueue(50);
    var run = new Run(limit, 0);
    for (int n = 0; n <= 50; n++) run.check(0, 1);
    assertThat(start(run.turns().getLast())).isEqualTo(Bounds.micros(limit.longestDelay()));
  }

  @Property
  void queueIsNeverLongerThanItsLength(@ForAll LeakyBucket limit, @ForAll History history) {
    Assume.that(!(limit.queue() instanceof Queue.Wait));
    long length = limit.queue() instanceof Queue.Length(long requests) ? requests : 0;
    var admitted = Run.admitted(limit, history.forward().ofOnes());
    for (var turn : admitted) {
      var inQueue =
          admitted.stream().filter(other -> other.now() <= turn.now() && start(other) > turn.now());
      assertThat(inQueue.count()).isLessThanOrEqualTo(length);
    }
  }

  private static long start(Turn turn) {
    return turn.now() + ((Passed) turn.step().outcome()).delay();
  }

  private static BigInteger product(long a, long b) {
    return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
  }
}
