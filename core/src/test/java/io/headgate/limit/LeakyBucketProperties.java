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

/** A constant output, a line that is never too long, and a wait that is never too long. */
@Domain(Histories.class)
class LeakyBucketProperties {

  /**
   * Ideally a request goes ahead when it comes, or as soon as the one before it has had its share
   * of time, to the fraction of a microsecond. It never goes earlier, and less than one later: what
   * is rounded once is not rounded again by those who come after.
   */
  @Property(tries = 3_000)
  void everyoneGoesAheadAtTheIdealTimeRoundedUp(
      @ForAll LeakyBucket limit, @ForAll History history) {
    var rate = limit.rate();
    var free = BigInteger.ZERO; // in microseconds / permits, as all of this
    for (var turn : Run.admitted(limit, history.forward())) {
      var ideal = free.max(product(turn.now(), rate.permits()));
      var late = product(start(turn), rate.permits()).subtract(ideal);
      assertThat(late).isBetween(BigInteger.ZERO, BigInteger.valueOf(rate.permits() - 1));
      free = ideal.add(product(turn.cost(), rate.periodMicros()));
    }
  }

  @Property
  void aLineOfThousandsEndsWithinAMicrosecondOfItsIdealTime(@ForAll Rate rate) {
    var limit = LeakyBucket.queueing(rate, 5_000);
    var run = new Run(limit, 0);
    for (int n = 0; n <= 5_000; n++) run.ask(0, 1);
    var last = run.turns().getLast();
    var late = product(start(last), rate.permits()).subtract(product(5_000, rate.periodMicros()));
    assertThat(late).isBetween(BigInteger.ZERO, BigInteger.valueOf(rate.permits() - 1));
  }

  @Property
  void nobodyWaitsLongerThanTheLongestWait(@ForAll LeakyBucket limit, @ForAll History history) {
    Assume.that(limit.line() instanceof Queue.Wait);
    long longest = Bounds.micros(((Queue.Wait) limit.line()).longest());
    for (var turn : Run.admitted(limit, history)) {
      assertThat(start(turn) - turn.now()).isBetween(0L, longest);
    }
  }

  @Property
  void theLineIsNeverLongerThanItsLength(@ForAll LeakyBucket limit, @ForAll History history) {
    Assume.that(!(limit.line() instanceof Queue.Wait));
    long length = limit.line() instanceof Queue.Length(long requests) ? requests : 0;
    var admitted = Run.admitted(limit, history.forward().ofOnes());
    for (var turn : admitted) {
      var inLine =
          admitted.stream().filter(other -> other.now() <= turn.now() && start(other) > turn.now());
      assertThat(inLine.count()).isLessThanOrEqualTo(length);
    }
  }

  private static long start(Turn turn) {
    return turn.now() + ((Passed) turn.step().outcome()).delay();
  }

  private static BigInteger product(long a, long b) {
    return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
  }
}
