package io.headgate.internal.outage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class BackgroundProberProperties {
  @Property
  void pausesDoubleFrom100MsTo1SAndAreShortenedByUpToHalf(
      @ForAll @IntRange(min = 0, max = 10_000) int attempts, @ForAll long seed) {
    long full =
        attempts == 0 ? 100_000 : attempts == 1 ? 200_000 : attempts == 2 ? 400_000 : 800_000;
    if (attempts > 3) full = 1_000_000;
    assertThat(BackgroundProber.pause(attempts, new Random(seed))).isBetween(full / 2, full);
  }

  @Property
  void pausesAreRandomized(@ForAll long seed) {
    var random = new Random(seed);
    var pauses = random.ints(50, 0, 1).mapToLong(i -> BackgroundProber.pause(0, random)).distinct();
    assertThat(pauses.count()).isGreaterThan(40);
  }
}
