package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Counter;
import io.headgate.rule.LimitOverride;
import io.headgate.rule.Match;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.lettuce.core.cluster.SlotHash;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class CounterKeysTest {
  private final CounterKeys keys = new CounterKeys("headgate:");

  @Test
  void keysAreReadable() {
    assertThat(keys.of(counter("per-user", "per-user"), "user:42"))
        .isEqualTo("headgate:{user:42}per-user");
    assertThat(keys.of(counter("contract", "calls"), "acme"))
        .isEqualTo("headgate:{acme}contract|calls");
    assertThat(keys.of(counter("all", "all"), "")).isEqualTo("headgate:{*}all");
  }

  @Test
  void overrideWithOwnCounterHasOwnKeyInTheSameSlot() {
    var limit = TokenBucket.of(Rate.perSecond(1));
    var rules =
        RuleSet.of(
            Rule.named("api")
                .match("user", "*")
                .limit(limit)
                .override("method", "POST", TokenBucket.of(Rate.perSecond(2)))
                .build(),
            Rule.named("contract")
                .match("user", "*")
                .limit(RuleLimit.of("calls", limit))
                .override(
                    new LimitOverride(
                        Match.of("method", "POST"),
                        List.of(RuleLimit.of("calls", TokenBucket.of(Rate.perSecond(2))))))
                .build());
    var post = Subject.of("user", "ann").with("method", "POST");
    var plan = rules.plan(Request.of(post), 0, 0);
    assertThat(plan.charges().stream().map(c -> keys.of(c.counter(), c.key())))
        .containsExactly(
            "headgate:{ann}api||uRSTi4ChG9MK", "headgate:{ann}contract|calls||uRSTi4ChG9MK");
  }

  @Test
  void bracesInSubjectsDoNotChooseTheSlot() {
    for (var key : List.of("{a}", "{a}b", "x{a}", "a}{b", "{}", "}")) {
      var full = keys.of(counter("r", "r"), key);
      assertThat(full.chars().filter(c -> c == '{')).hasSize(1);
      assertThat(full.chars().filter(c -> c == '}')).hasSize(1);
      assertThat(SlotHash.getSlot(full)).isEqualTo(SlotHash.getSlot(CounterKeys.tag(key)));
    }
  }

  @Test
  void countersOfASubjectShareOneSlot() {
    assertThat(SlotHash.getSlot(keys.of(counter("a", "b"), "user 1")))
        .isEqualTo(SlotHash.getSlot(keys.of(counter("c", "d"), "user 1")));
  }

  @Test
  void distinctSubjectsHaveDistinctTags() {
    var texts =
        new ArrayList<>(List.of("*", "", "%2A", "#", "~0041", "%41", "A", "\u0100", "~0100"));
    for (char c = 0; c < 0x3000; c++) texts.add("k" + c);
    texts.addAll(List.of("\ud800", "\ud801", "\udc00", "?", "%3F"));
    var longest = "x".repeat(1_000);
    texts.addAll(List.of(longest, longest + "y", longest + "\ud800", longest + "\ud801"));
    texts.addAll(List.of("y".repeat(96), "y".repeat(97)));
    assertThat(new HashSet<>(texts.stream().map(CounterKeys::tag).toList())).hasSize(texts.size());
  }

  @Test
  void longSubjectsHaveShortKeys() {
    assertThat(keys.of(counter("r", "r"), "x".repeat(1_000))).hasSizeLessThan(64);
    assertThat(keys.of(counter("r", "r"), "\u65e5".repeat(90))).hasSizeLessThan(500);
  }

  private static Counter counter(String rule, String name) {
    var limit = RuleLimit.of(name, TokenBucket.of(Rate.perSecond(1)));
    var rules = RuleSet.of(Rule.named(rule).match("key", "*").limit(limit).build());
    return rules.plan(Request.of(Subject.of("k")), 0, 0).charges().getFirst().counter();
  }
}
