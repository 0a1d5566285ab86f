package io.headgate.outage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class BackgroundProberProperties {
  @Property
  void pausesDoubleFromATenthOfASecondToOneAndAreCutByUpToHalf(
      @ForAll @IntRange(min = 0, max = 10_000) int before, @ForAll long seed) {
    long whole = before == 0 ? 100_000 : before == 1 ? 200_000 : before == 2 ? 400_000 : 800_000;
    if (before > 3) whole = 1_000_000;
    assertThat(BackgroundProber.pause(before, new Random(seed))).isBetween(whole / 2, whole);
  }

  @Property
  void pausesDiffer(@ForAll long seed) {
    var random = new Random(seed);
    var pauses = random.ints(50, 0, 1).mapToLong(i -> BackgroundProber.pause(0, random)).distinct();
    assertThat(pauses.count()).isGreaterThan(40);
  }
}
