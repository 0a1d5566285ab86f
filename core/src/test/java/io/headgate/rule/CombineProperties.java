package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class CombineProperties {
  private static final long MAX_WAIT = 8;

  /** Evaluates at each time which limits would let the request pass. */
  @Property(tries = 3_000)
  void retryTimeIsTheFirstAtWhichEnoughLimitsPass(
      @ForAll("combinations") Combine combine,
      @ForAll("outcomes") List<Outcome> outcomes,
      @ForAll("weights") List<Long> weights) {
    var counters =
        weights.subList(0, outcomes.size()).stream().map(CombineProperties::counter).toList();
    long expected =
        LongStream.rangeClosed(0, MAX_WAIT)
            .filter(time -> enough(combine, outcomes, weights, time))
            .findFirst()
            .orElse(Combine.NEVER);
    assertThat(combine.retryAfter(outcomes, counters)).isEqualTo(expected);
  }

  private static boolean enough(
      Combine combine, List<Outcome> outcomes, List<Long> weights, long time) {
    double passing = 0;
    double all = 0;
    for (int i = 0; i < outcomes.size(); i++) {
      long weight = combine instanceof Combine.Weighted ? weights.get(i) : 1;
      all += weight;
      boolean passes =
          switch (outcomes.get(i)) {
            case Passed passed -> true;
            case Refused refused -> refused.retryAfter() <= time;
            case ExceedsCapacity never -> false;
          };
      if (passes) passing += weight;
    }
    return switch (combine) {
      case Combine.All c -> passing == all;
      case Combine.Hierarchical c -> passing == all;
      case Combine.Priority c -> passing == all;
      case Combine.Any c -> passing > 0;
      case Combine.Weighted(int permille) -> passing / all >= permille / 1000.0;
    };
  }

  private static Counter counter(long weight) {
    var limit = RuleLimit.of("l", TokenBucket.of(Rate.perSecond(1))).withWeight(weight);
    return new Counter(Rule.named("r").limit(limit).build(), limit);
  }

  @Provide
  Arbitrary<Combine> combinations() {
    return RandomRules.combinations();
  }

  @Provide
  Arbitrary<List<Outcome>> outcomes() {
    return Arbitraries.<Outcome>oneOf(
            Arbitraries.just(new Passed(1, 1, 0)),
            Arbitraries.longs().between(1, MAX_WAIT).map(wait -> new Refused(0, 9, wait)),
            Arbitraries.just(new ExceedsCapacity(1, 1, 5, 4)))
        .list()
        .ofMinSize(1)
        .ofMaxSize(5);
  }

  @Provide
  Arbitrary<List<Long>> weights() {
    return Arbitraries.oneOf(
            Arbitraries.longs().between(1, 5), Arbitraries.longs().between(999_990, 1_000_000))
        .list()
        .ofSize(5);
  }
}
