package io.headgate.server.http.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.simulation.Arrival;
import io.headgate.server.simulation.Comparison;
import io.headgate.server.simulation.Deadline;
import io.headgate.server.simulation.RuleSimulator;
import io.headgate.server.simulation.SimulationBudget;
import io.headgate.server.simulation.SimulationNotes;
import java.util.List;
import org.junit.jupiter.api.Test;

class WhatIfJsonTest {
  private static RuleSimulator simulator(int perHour) {
    var rules =
        RuleSet.of(
            Rule.named("r").match("key", "*").limit(FixedWindow.of(Rate.perHour(perHour))).build());
    return new RuleSimulator(rules, SimulationBudget.within(1 << 20, rules));
  }

  @Test
  void figuresOfASampleAreScaledExceptThoseOfCallers() {
    try (var comparison = Comparison.of(simulator(2), simulator(1), Deadline.NEVER)) {
      for (int i = 0; i < 4; i++) {
        comparison.add(new Arrival(1_000_000, false, Request.of(Subject.of("a"))));
      }
      var source = new WhatIfJson.Source("recent", 2.5, 0, List.of(), List.of());
      assertThat(WhatIfJson.of(comparison, source, CallerMask.NONE).toString())
          .contains("\"requests\":10,\"replayed\":4,\"weight\":2.5")
          .contains("\"before\":{\"allowed\":5,\"denied\":5,\"delayed\":0}")
          .contains("\"after\":{\"allowed\":3,\"denied\":8,\"delayed\":0}")
          .contains("\"changedToDenied\":3,\"changedToAllowed\":0")
          .contains("\"offered\":[10],\"deniedBefore\":[5],\"deniedAfter\":[8]")
          .contains(
              "\"requestsBefore\":10,\"requestsAfter\":10,\"deniedBefore\":5,\"deniedAfter\":8")
          .contains("{\"caller\":\"a\",\"requests\":4,\"deniedBefore\":2,\"deniedAfter\":3,");
    }
  }

  @Test
  void shareOfTheTrafficIsNoted() {
    assertThat(SimulationNotes.sampled(10, 10)).isEmpty();
    assertThat(SimulationNotes.sampled(1_000, 8_000).orElseThrow())
        .startsWith("1,000 of 8,000 requests were replayed (12.5 %)")
        .contains("scaled to all requests");
  }
}
