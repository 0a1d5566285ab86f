package io.headgate.simulation;

import io.headgate.internal.region.ShareTiming;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.RegionSettings;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import java.time.Duration;
import java.util.HashMap;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs shared rules of several regions under partitions, one-way partitions, lost messages, crashed
 * regions, and a home that is killed and starts again empty with another clock. All regions
 * together stay within the limit, and after the faults no caller within its limit is denied.
 */
public final class RegionScenario {
  private static final long SECOND = Workload.SECOND;

  /** A defect that the simulation must find. */
  public enum Mutant {
    /** The code as it is. */
    NONE,
    /** A home that starts again empty grants at once. */
    NO_WAIT
  }

  /**
   * The result of one seed.
   *
   * @param failure the violated property; null if there is none
   * @param steps the number of events
   * @param messages the number of requests to home
   */
  public record Result(@Nullable String failure, long steps, long messages) {}

  private RegionScenario() {}

  /** Runs one seed. The same seed gives the same result. */
  public static Result run(long seed, Mutant mutant) {
    var dice = Dice.of(seed, 910);
    int regions = (int) dice.between(2, 4);
    int perRegion = (int) dice.between(1, 2);
    long window = dice.scale(1, 60) * SECOND;
    long permits = dice.scale(10, 2_000);
    var limit = limit(dice, permits, window);
    var rule = Rule.named("shared").match("user", "*").limit(limit).regions(regions(dice, regions));
    var timing = ShareTiming.ofLease(Duration.ofSeconds(dice.between(2, 30)));
    var world =
        new RegionWorld(
            seed, regions, perRegion, RuleSet.of(rule.build()), timing, mutant == Mutant.NONE);
    if (dice.oneIn(3)) world.lossPermille = (int) dice.below(150);
    long busy = dice.between(5, 40) * SECOND;
    int nodes = regions * perRegion;
    requests(dice, world, busy, nodes, permits, window);
    faults(dice, world, busy, regions, limit instanceof FixedWindow);
    world.at(
        busy,
        () -> {
          world.lossPermille = 0;
          for (int r = 0; r < regions; r++) world.link(r).delay = 40_000;
        });
    long lease = timing.maxLease().toNanos() / 1_000;
    long calm = busy + 2 * lease + 3 * window + 5 * SECOND;
    world.runUntil(calm);
    var over = overAdmitted(world, limit);
    if (over != null) return new Result(over, world.steps, world.messages);
    return new Result(calmPhase(world, calm, limit, window), world.steps, world.messages);
  }

  private static Limit limit(Dice dice, long permits, long window) {
    var rate = Workload.rate(permits, window);
    return switch (dice.index(4)) {
      case 0, 1 ->
          TokenBucket.of(rate).withBurst(dice.oneIn(3) ? Math.max(1, permits / 2) : permits);
      case 2 -> FixedWindow.of(rate);
      default -> SlidingWindow.of(rate).withBound(dice.any(SlidingWindow.Bound.values()));
    };
  }

  private static RegionSettings regions(Dice dice, int regions) {
    var split = new HashMap<String, Integer>();
    if (dice.oneIn(3)) {
      int each = (int) dice.between(50, 1_000 / regions);
      for (int r = 0; r < regions; r++) split.put(RegionWorld.regionName(r), each);
    }
    return new RegionSettings(Optional.empty(), split);
  }

  private static void requests(
      Dice dice, RegionWorld world, long busy, int nodes, long permits, long window) {
    long count = Math.min(4_000, Math.max(200, 3 * permits * busy / window));
    int users = dice.oneIn(2) ? 1 : 3;
    for (long left = count; left > 0; ) {
      long at = dice.below(busy);
      int burst = dice.oneIn(4) ? (int) dice.between(1, 30) : 1;
      var user = "u" + dice.index(users);
      int hot = dice.oneIn(2) ? 0 : dice.index(nodes);
      for (int i = 0; i < burst && left > 0; i++, left--) {
        long cost = dice.oneIn(6) ? dice.between(1, 5) : 1;
        world.at(at + dice.below(2_000), () -> world.request(hot, user, cost));
      }
    }
  }

  private static void faults(
      Dice dice, RegionWorld world, long busy, int regions, boolean alignedToTheClock) {
    int count = (int) dice.between(0, 6);
    for (int i = 0; i < count; i++) {
      long at = dice.below(busy);
      long length = Math.min(busy - at, dice.scale(100_000, 20 * SECOND));
      int region = dice.index(regions);
      var link = world.link(region);
      switch (dice.index(6)) {
        case 0 ->
            world.at(
                at,
                () -> {
                  link.requestsCutUntil = world.absolute(at + length);
                  link.repliesCutUntil = world.absolute(at + length);
                });
        case 1 -> world.at(at, () -> link.repliesCutUntil = world.absolute(at + length));
        case 2 -> world.at(at, () -> link.requestsCutUntil = world.absolute(at + length));
        case 3 -> world.at(at, () -> world.crash(region));
        case 4 -> {
          long slow = dice.scale(10_000, 400_000);
          world.at(at, () -> link.delay = slow);
        }
        default -> {
          long down = Math.min(length, 3 * SECOND);
          // A window that follows the clock is another window under another clock.
          long offset = alignedToTheClock ? 0 : dice.between(-5 * SECOND, 5 * SECOND);
          world.at(at, world.home::kill);
          world.at(at + down, () -> world.home.restartEmpty(offset));
        }
      }
    }
  }

  private static @Nullable String overAdmitted(RegionWorld world, Limit limit) {
    for (var user : world.admitted().entrySet()) {
      long excess = AdmissionBounds.excess(limit, user.getValue());
      if (excess > 0) {
        return "%s over-admitted %d permits of %s".formatted(user.getKey(), excess, limit);
      }
    }
    return null;
  }

  /** A caller that uses a tenth of the limit in one region passes after the faults. */
  private static @Nullable String calmPhase(
      RegionWorld world, long calm, Limit limit, long window) {
    long before = world.denied;
    long requests = Math.min(30, limit.capacity() / 10);
    for (long i = 0; i < requests; i++) {
      world.at(calm + i * window / requests, () -> world.request(0, "u0", 1));
    }
    world.runUntil(calm + window + 5 * SECOND);
    return world.denied > before
        ? "%d of %d requests within %s were denied after the faults"
            .formatted(world.denied - before, requests, limit)
        : null;
  }
}
