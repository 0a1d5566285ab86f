package io.headgate.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.TokenBucket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RegionDivisionTest {
  private static final TokenBucket LARGE = TokenBucket.of(Rate.perMinute(1_000));
  private static final TokenBucket SMALL = TokenBucket.of(Rate.perMinute(3));
  private static final RollingWindow LOG = RollingWindow.of(Rate.perMinute(5));

  private static RegionDivision division(RegionSettings settings, List<Limit> limits) {
    var builder = Rule.named("r").match("user", "*").regions(settings);
    for (int i = 0; i < limits.size(); i++) builder.limit(RuleLimit.of("l" + i, limits.get(i)));
    var counters =
        RuleSet.of(builder.build())
            .plan(Request.of(Subject.of("user", "a")), 0, 0)
            .parts()
            .getFirst()
            .counters();
    var divisions = counters.stream().map(Counter::regions).distinct().toList();
    assertThat(divisions).as("all limits of a rule are divided alike").hasSize(1);
    var rule = builder.build();
    assertThat(divisions.getFirst().scope())
        .isEqualTo(rule.regions().scopeOf(rule.combine(), counters));
    return divisions.getFirst();
  }

  private static RegionSettings split(Map<String, Integer> split) {
    return new RegionSettings(Optional.empty(), split);
  }

  @Test
  void ruleWithALimitThatCanNotBeSharedIsAtHomeAsAWhole() {
    assertThat(division(RegionSettings.DEFAULT, List.of(LARGE, LOG)).scope())
        .isEqualTo(RegionScope.HOME);
    assertThat(division(RegionSettings.DEFAULT, List.of(LARGE, SMALL)).scope())
        .isEqualTo(RegionScope.SHARED);
  }

  @Test
  void splitOfLessThanAPermitOfOneLimitIsNoneOfAllLimits() {
    var settings = split(Map.of("eu", 100, "us", 500));
    assertThat(division(settings, List.of(LARGE)).splitOf("eu")).isEqualTo(100);
    assertThat(division(settings, List.of(LARGE, SMALL)).splitOf("eu")).isZero();
    assertThat(division(settings, List.of(LARGE, SMALL)).splitOf("us")).isEqualTo(500);
    assertThat(division(settings, List.of(LARGE, SMALL)).pooled()).isEqualTo(400);
    assertThat(division(settings, List.of(LARGE)).splitOf("ap")).isZero();
  }

  @Test
  void partOfACounterIsDividedAsTheWhole() {
    var rule = Rule.named("r").match("user", "*").limit(LARGE).build();
    var counter = RuleSet.of(rule).counter("r", -1, "r").orElseThrow();
    assertThat(counter.partOf(100).orElseThrow().regions()).isSameAs(counter.regions());
    assertThat(counter.withLimit(SMALL).regions()).isSameAs(counter.regions());
  }
}
