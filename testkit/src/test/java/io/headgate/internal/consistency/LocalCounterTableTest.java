package io.headgate.internal.consistency;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

class LocalCounterTableTest {
  /**
   * A map compares records of equal hash codes one by one, so the number of distinct codes shows
   * the cost of a lookup.
   */
  @Test
  void keysOfEqualHashCodeHaveDifferentKeyedHashes() {
    var rules =
        RuleSet.of(Rule.named("api").per("key").limit(TokenBucket.of(Rate.perSecond(1))).build());
    var codes = new HashSet<Integer>();
    for (int bits = 0; bits < 1 << 10; bits++) {
      var key = new StringBuilder();
      for (int i = 0; i < 10; i++) key.append(((bits >> i) & 1) == 0 ? "Aa" : "BB");
      var charge = rules.plan(Request.of(Subject.of(key.toString())), 0, 0).charges().getFirst();
      codes.add(new LocalCounterTable.Key(charge.counter(), charge.key()).hashCode());
    }
    assertThat(codes).hasSizeGreaterThan(1_000);
  }
}
