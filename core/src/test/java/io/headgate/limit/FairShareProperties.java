package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** The guarantees that {@link FairBucket} states, over random tenants, weights and arrivals. */
class FairShareProperties {
  private static final long SECOND = 1_000_000;
  private static final long START = 1_800_000_000L * SECOND;

  /** Limit: every admission fits the plain bucket, and the debts of both are the same. */
  @Property(tries = 300)
  void allTenantsTogetherAreLimitedExactlyAsByThePlainBucket(@ForAll long seed) {
    var random = new Random(seed);
    var bucket = bucket(random);
    var run = new FairRun(new FairShare(bucket, FairSharing.among("tenant")));
    State plain = State.FRESH;
    long now = START;
    for (int i = 0; i < 1_000; i++) {
      now += pause(random, bucket);
      long cost = random.nextInt(4) > 0 ? 1 : random.nextLong(bucket.burst() + 2);
      var share = FairRun.tenant(random.nextInt(5), 1 + random.nextInt(5));
      var step = bucket.step(plain, now, cost);
      if (!run.check(now, cost, share)) continue;
      assertThat(step.outcome()).isInstanceOf(Passed.class);
      plain = step.state();
      if (cost > 0) assertThat(run.fairState().pool).isEqualTo(plain);
    }
  }

  /**
   * Fairness: constant demands get the exact max-min allocation, if the burst is a second of the
   * rate or more, as it is by default. With a smaller one, a tenant near its share loses permits
   * that are lent to it while its part of the burst is full. The bound is one request of each
   * tenant; a tenant beyond its share may be ahead by its part of the burst, and behind by its part
   * of the lower half, which another has used before.
   */
  @Property(tries = 150)
  void constantDemandsGetTheirMaxMinShares(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 9) int tenants,
      @ForAll @LongRange(min = 20, max = 2_000) long rate) {
    var random = new Random(seed);
    var weights = weights(random, tenants, 10);
    long sum = 1L + Arrays.stream(weights).sum();
    long burst = 2 * sum + rate + random.nextLong(2 * rate);
    assertMaxMinShares(random, rate, burst, weights, 0);
  }

  /**
   * The same for tenants whose shares of the burst are less than one request. They may get one
   * request a second more, since they need no share for it while they have no debt. The others lose
   * it, if all permits are wanted.
   */
  @Property(tries = 100)
  void tenantsOfSmallWeightGetTheirMaxMinShares(
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 9) int tenants,
      @ForAll @LongRange(min = 20, max = 2_000) long rate) {
    var random = new Random(seed);
    var weights = weights(random, tenants, 1_000);
    assertMaxMinShares(random, rate, rate + 2 * tenants, weights, 1);
  }

  private static int[] weights(Random random, int tenants, int max) {
    var weights = new int[tenants];
    for (int i = 0; i < tenants; i++) {
      weights[i] = 1 + random.nextInt(random.nextBoolean() ? 1 : max);
    }
    return weights;
  }

  private static void assertMaxMinShares(
      Random random, long rate, long burst, int[] weights, int morePerSecond) {
    int tenants = weights.length;
    long sum = 1L + Arrays.stream(weights).sum();
    var demands = new long[tenants];
    for (int i = 0; i < tenants; i++) {
      demands[i] = 1 + random.nextLong(random.nextBoolean() ? rate : Math.max(1, rate / tenants));
    }
    var run = new FairRun(FairRun.limit(Rate.perSecond(rate), burst));
    long warmUp = 6;
    long seconds = 20;
    var admitted = arrivals(run, random, weights, demands, warmUp, seconds);
    var oracle = MaxMinShares.of(rate, weights, demands);
    double rounding = 2.0 + tenants;
    long more = morePerSecond * seconds;
    for (int i = 0; i < tenants; i++) {
      double share = (double) burst * weights[i] / sum;
      boolean beyondItsShare = demands[i] * (sum - 1) > rate * weights[i];
      double lost = beyondItsShare ? share / 2 + smallerThan(2, burst, weights, i) * more : 0;
      assertThat(admitted[i] - oracle[i].toDouble() * seconds)
          .as("tenant %d of weight %d, demand %d", i, weights[i], demands[i])
          .isBetween(-rounding - lost, rounding + share + more);
    }
  }

  /**
   * Returns how many tenants but one have a part of the burst, by weight, below a number of
   * permits.
   */
  private static long smallerThan(long permits, long burst, int[] weights, int except) {
    long sum = 1L + Arrays.stream(weights).sum();
    return IntStream.range(0, weights.length)
        .filter(i -> i != except && burst * weights[i] < permits * sum)
        .count();
  }

  /**
   * Fairness: a tenant that always has a request waiting gets its share of the rate, also if a
   * request costs more than its share of the burst, up to half of the burst.
   */
  @Property(tries = 20)
  void tenantWithLargeRequestsGetsItsShare(
      @ForAll @IntRange(min = 1, max = 10) int others,
      @ForAll @IntRange(min = 1, max = 500) int cost,
      @ForAll @IntRange(min = 1, max = 3) int weight) {
    var run = new FairRun(FairRun.limit(Rate.perSecond(1_000), 1_000));
    long seconds = 20;
    long admitted = 0;
    for (long now = START; now < START + seconds * SECOND; now += 1_000) {
      if (run.check(now, cost, FairRun.tenant(0, weight))) admitted += cost;
      for (int i = 1; i <= others; i++) {
        for (int k = 0; k < 3; k++) run.check(now, 1, FairRun.tenant(i, 1));
      }
    }
    assertThat(admitted)
        .isGreaterThanOrEqualTo(seconds * 1_000 * weight / (others + weight) - cost);
  }

  /** Returns the requests of each tenant that passed after the warm-up; arrivals are periodic. */
  private static long[] arrivals(
      FairRun run, Random random, int[] weights, long[] demands, long warmUp, long seconds) {
    var next = new long[weights.length];
    for (int i = 0; i < next.length; i++) next[i] = random.nextLong(SECOND / demands[i] + 1);
    var sent = new long[weights.length];
    var phase = next.clone();
    var admitted = new long[weights.length];
    while (true) {
      int first = 0;
      for (int i = 1; i < next.length; i++) if (next[i] < next[first]) first = i;
      long now = next[first];
      if (now >= (warmUp + seconds) * SECOND) return admitted;
      boolean passed = run.check(START + now, 1, FairRun.tenant(first, weights[first]));
      if (passed && now >= warmUp * SECOND) admitted[first]++;
      sent[first]++;
      next[first] = phase[first] + sent[first] * SECOND / demands[first];
    }
  }

  /**
   * Fairness in any span, with arrivals that change all the time: a tenant that is always refused
   * is behind no other by more than the other's share of the burst and one request of each.
   */
  @Property(tries = 150)
  void noTenantIsBehindWhileAnotherIsAhead(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 8) int tenants) {
    var random = new Random(seed);
    long rate = 50 + random.nextLong(2_000);
    long burst = 50 + random.nextLong(2_000);
    var limit = FairRun.limit(Rate.perSecond(rate), burst);
    var run = new FairRun(limit);
    var weights = new int[tenants];
    long sum = 1;
    for (int i = 0; i < tenants; i++) {
      weights[i] = 1 + random.nextInt(10);
      sum += weights[i];
    }
    for (int i = 0; i < tenants; i++) run.check(START, 1, FairRun.tenant(i, weights[i]));
    var admitted = new long[tenants];
    long now = START;
    long maxCost = 3;
    boolean[] active = new boolean[tenants];
    for (int i = 0; i < 20_000; i++) {
      now += random.nextLong(2 * SECOND / rate + 1);
      if (i % 500 == 0) {
        for (int t = 1; t < tenants; t++) active[t] = random.nextBoolean();
      }
      // Tenant 0 always has a request waiting.
      while (run.check(now, 1, FairRun.tenant(0, weights[0]))) admitted[0]++;
      int other = 1 + random.nextInt(tenants - 1);
      long cost = 1 + random.nextLong(maxCost);
      if (active[other] && run.check(now, cost, FairRun.tenant(other, weights[other]))) {
        admitted[other] += cost;
      }
      double share = (double) burst / sum;
      double own = (admitted[0] + 1.0) / weights[0];
      double bound = Math.max(share, 4.0 * maxCost / weights[other]) + 0.01;
      assertThat(admitted[other] / (double) weights[other]).isLessThanOrEqualTo(own + bound);
    }
  }

  /** Isolation: a conforming tenant is never refused, whatever the others do. */
  @Property(tries = 150)
  void tenantWithinItsShareIsNeverRefused(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 12) int tenants) {
    var random = new Random(seed);
    var weights = new int[tenants];
    long sum = 0;
    for (int i = 0; i < tenants; i++) {
      weights[i] = 1 + random.nextInt(5);
      sum += weights[i];
    }
    long rate = 10 + random.nextLong(2_000);
    long burst = 4 * (sum + 1) + random.nextLong(1_000);
    var run = new FairRun(FairRun.limit(Rate.perSecond(rate), burst));
    for (int i = 0; i < tenants; i++) run.check(START, 1, FairRun.tenant(i, weights[i]));
    // Its share less one permit, which it has used just now; a thousandth slower, for rounding.
    var own =
        new TokenBucket(
            Rate.of(rate * weights[0] * 1_000, Duration.ofSeconds(1_001 * sum)),
            burst * weights[0] / (2 * (sum + 1)) - 1);
    State conforming = State.FRESH;
    long now = START;
    for (int i = 0; i < 4_000; i++) {
      now += random.nextLong(2 * SECOND / rate + 2);
      for (int t = 1; t < tenants; t++) {
        var share = FairRun.tenant(t, weights[t]);
        boolean passes = true;
        for (int left = random.nextInt(20); passes && left > 0; left--) {
          passes = run.check(now, 1, share);
        }
      }
      boolean demands = i % 200 < 20 || random.nextInt(3) == 0;
      while (demands) {
        var step = own.step(conforming, now, 1);
        if (!(step.outcome() instanceof Passed)) break;
        conforming = step.state();
        assertThat(run.check(now, 1, FairRun.tenant(0, weights[0])))
            .as("step %d: %s", i, run.last())
            .isTrue();
      }
    }
  }

  /** Sharing: a tenant is refused only while the rate is in use. */
  @Property(tries = 150)
  void refusedTenantLeavesNothingOfTheRateUnused(@ForAll long seed) {
    var random = new Random(seed);
    var bucket = bucket(random);
    var run = new FairRun(new FairShare(bucket, FairSharing.among("tenant")));
    long now = START;
    for (int i = 0; i < 2_000; i++) {
      now += pause(random, bucket);
      var share = FairRun.tenant(random.nextInt(8), 1 + random.nextInt(5));
      if (!run.check(now, 1 + random.nextLong(bucket.burst()), share)) {
        assertThat(run.last().resetAfter()).isPositive();
      }
    }
  }

  /** Retry-After: an upper bound that holds if no other request is charged. */
  @Property(tries = 300)
  void refusedRequestPassesAfterItsRetryTime(@ForAll long seed) {
    var random = new Random(seed);
    var bucket = bucket(random);
    var run = new FairRun(new FairShare(bucket, FairSharing.among("tenant")));
    long now = START;
    for (int i = 0; i < 500; i++) {
      now += pause(random, bucket);
      int tenant = random.nextInt(8);
      var share = FairRun.tenant(tenant, 1 + tenant % 5);
      long cost = 1 + random.nextLong(bucket.burst());
      if (run.check(now, cost, share)) continue;
      long retryAfter = ((Refused) run.last()).retryAfter();
      assertThat(retryAfter).isPositive();
      assertThat(run.peek(now + retryAfter, cost, share)).isInstanceOf(Passed.class);
      long later = now + retryAfter + random.nextLong(1 + bucket.window());
      assertThat(run.peek(later, cost, share)).isInstanceOf(Passed.class);
    }
  }

  /** A refusal is certain for the time that it reports, whatever other requests are charged. */
  @Property(tries = 200)
  void refusedRequestIsRefusedForTheCertainTime(@ForAll long seed) {
    var random = new Random(seed);
    var bucket = bucket(random);
    var run = new FairRun(new FairShare(bucket, FairSharing.among("tenant")));
    record Certain(int tenant, long cost, long until) {}
    var pending = new ArrayList<Certain>();
    long now = START;
    int tenants = 1 + random.nextInt(40);
    for (int i = 0; i < 1_000; i++) {
      now += pause(random, bucket) / (random.nextBoolean() ? 1 : 8);
      for (var one : pending) {
        if (now >= one.until) continue;
        assertThat(run.peek(now, one.cost, FairRun.tenant(one.tenant, 1 + one.tenant % 5)))
            .as("step %d: %s", i, one)
            .isInstanceOf(Refused.class);
      }
      if (pending.size() > 50) pending.subList(0, 25).clear();
      int tenant = random.nextInt(tenants);
      long cost = random.nextInt(3) > 0 ? 1 : 1 + random.nextLong(bucket.burst());
      if (run.check(now, cost, FairRun.tenant(tenant, 1 + tenant % 5))) continue;
      var refused = (Refused) run.last();
      assertThat(refused.certainFor()).isBetween(0L, refused.retryAfter());
      pending.add(new Certain(tenant, cost, now + refused.certainFor()));
    }
  }

  /** A request for all permits that are reported as remaining passes. */
  @Property(tries = 300)
  void remainingPermitsPass(@ForAll long seed) {
    var random = new Random(seed);
    var bucket = bucket(random);
    var run = new FairRun(new FairShare(bucket, FairSharing.among("tenant")));
    long now = START;
    for (int i = 0; i < 500; i++) {
      now += pause(random, bucket);
      var share = FairRun.tenant(random.nextInt(8), 1 + random.nextInt(5));
      run.check(now, 1 + random.nextLong(3), share);
      long remaining = run.peek(now, 0, share).remaining();
      if (remaining > 0) {
        assertThat(run.peek(now, remaining, share)).isInstanceOf(Passed.class);
      }
    }
  }

  @Property(tries = 200)
  void clockThatStepsBackAdmitsNoMoreThanThePlainBucket(@ForAll long seed) {
    var random = new Random(seed);
    var bucket = bucket(random);
    var run = new FairRun(new FairShare(bucket, FairSharing.among("tenant")));
    State plain = State.FRESH;
    long now = START;
    for (int i = 0; i < 500; i++) {
      now += pause(random, bucket) - (random.nextInt(4) == 0 ? pause(random, bucket) : 0);
      var step = bucket.step(plain, now, 1);
      if (!run.check(now, 1, FairRun.tenant(random.nextInt(3), 1))) continue;
      assertThat(step.outcome()).isInstanceOf(Passed.class);
      plain = step.state();
    }
  }

  /** A limit that changes, in both directions, never admits more than the plain bucket does. */
  @Property(tries = 200)
  void changedLimitKeepsTheUtilization(@ForAll long seed) {
    var random = new Random(seed);
    var one = bucket(random);
    var two = bucket(random);
    State fair = State.FRESH;
    long now = START;
    for (int i = 0; i < 300; i++) {
      var bucket = random.nextInt(10) == 0 ? two : one;
      now += pause(random, bucket);
      if (random.nextInt(4) == 0) {
        long before = fair.used(now);
        var adopted = bucket.adopt(fair, now);
        assertThat(adopted.used(now))
            .isBetween(
                before, Math.min(Utilization.ALL, before + 2 + Utilization.ALL / one(bucket)));
        fair = adopted;
        continue;
      }
      var limit = new FairShare(bucket, FairSharing.among("tenant"));
      long before = fair.used(now);
      var adopted = limit.adopt(fair, now);
      assertThat(adopted.used(now))
          .isBetween(before, Math.min(Utilization.ALL, before + 2 + Utilization.ALL / one(bucket)));
      fair = limit.step(fair, now, 1, FairRun.tenant(random.nextInt(4), 1)).state();
    }
  }

  private static long one(TokenBucket bucket) {
    return Math.max(1, bucket.window());
  }

  /** A bucket whose numbers may be extreme. */
  private static TokenBucket bucket(Random random) {
    while (true) {
      try {
        var rate =
            Rate.of(
                1 + random.nextLong(1L << random.nextInt(30)),
                Duration.ofNanos(1_000 * (1 + random.nextLong(1L << random.nextInt(36)))));
        return new TokenBucket(rate, 1 + random.nextLong(1L << random.nextInt(20)));
      } catch (IllegalArgumentException e) {
        // Too large for exact arithmetic; generate another.
      }
    }
  }

  private static long pause(Random random, TokenBucket bucket) {
    long permit = Math.max(1, bucket.window() / bucket.burst());
    return switch (random.nextInt(8)) {
      case 0 -> 0;
      case 1 -> 1;
      case 2 -> random.nextLong(bucket.window() + SECOND);
      default -> random.nextLong(2 * permit);
    };
  }
}
