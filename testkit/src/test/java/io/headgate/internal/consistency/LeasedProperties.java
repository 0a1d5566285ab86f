package io.headgate.internal.consistency;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Rule;
import io.headgate.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Tests that the admissions of all instances together stay within the bound of the limit, whatever
 * disconnections and lost replies occur.
 */
class LeasedProperties {
  private record Admitted(long at, long cost) {}

  private static final Duration WINDOW = Duration.ofSeconds(2);

  @Property(tries = 60)
  void bucketsNeverExceedTheirBurstAndRate(
      @ForAll long seed, @ForAll @IntRange(min = 20, max = 400) int permits) {
    var rate = Rate.of(permits, WINDOW);
    var admitted = history(TokenBucket.of(rate), seed);
    for (int i = 0; i < admitted.size(); i++) {
      long spent = 0;
      for (int j = i; j < admitted.size(); j++) {
        spent += admitted.get(j).cost;
        long repaid = (admitted.get(j).at - admitted.get(i).at) * permits / 2_000_000;
        assertThat(spent).isLessThanOrEqualTo(permits + repaid);
      }
    }
  }

  @Property(tries = 60)
  void fixedWindowsNeverExceedTheirPermits(
      @ForAll long seed, @ForAll @IntRange(min = 20, max = 400) int permits) {
    long end = 0;
    long spent = 0;
    for (var one : history(FixedWindow.of(Rate.of(permits, WINDOW)), seed)) {
      if (one.at >= end) {
        end = (one.at / 2_000_000 + 1) * 2_000_000;
        spent = 0;
      }
      spent += one.cost;
      assertThat(spent).isLessThanOrEqualTo(permits);
    }
  }

  @Property(tries = 60)
  void slidingWindowsNeverExceedTheirPermitsInAnyWindow(
      @ForAll long seed, @ForAll @IntRange(min = 20, max = 400) int permits) {
    var limit =
        SlidingWindow.of(Rate.of(permits, WINDOW)).withBound(SlidingWindow.Bound.CONSERVATIVE);
    var admitted = history(limit, seed);
    int first = 0;
    long spent = 0;
    for (var one : admitted) {
      spent += one.cost;
      while (one.at - admitted.get(first).at >= 2_000_000) spent -= admitted.get(first++).cost;
      assertThat(spent).isLessThanOrEqualTo(permits);
    }
  }

  /** Returns the admissions of four instances with random faults. */
  private static List<Admitted> history(Limit limit, long seed) {
    var rule = Rule.named("r").match("key", "*").limit(limit).consistency(Consistency.LEASED);
    var fleet = new Fleet(4, rule.build());
    var random = new Random(seed);
    var admitted = new ArrayList<Admitted>();
    for (int i = 0; i < 3_000; i++) {
      var instance = fleet.instances.get(random.nextInt(fleet.instances.size()));
      switch (random.nextInt(300)) {
        case 0 -> instance.disconnected = !instance.disconnected;
        case 1 -> instance.losingReplies = !instance.losingReplies;
        case 2 -> fleet.ticker.advance(Duration.ofMillis(random.nextInt(3_000)));
        case 3 -> instance.store.sync().run();
        default -> fleet.ticker.advance(Duration.ofNanos(random.nextInt(4_000_000)));
      }
      long cost = random.nextInt(8) == 0 ? 1 + random.nextInt(5) : 1;
      try {
        if (instance.check("k", cost)) admitted.add(new Admitted(fleet.ticker.micros(), cost));
      } catch (StoreException e) {
        // The rule's failure policy decides; this limit is not involved.
      }
    }
    return admitted;
  }
}
