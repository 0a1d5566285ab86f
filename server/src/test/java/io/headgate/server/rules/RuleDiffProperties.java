package io.headgate.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.LimitOverride;
import io.headgate.rule.Match;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.server.rules.RuleDiff.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class RuleDiffProperties {
  @Property(tries = 300)
  void equalRulesHaveNoDifference(@ForAll long seed) {
    assertThat(RuleDiff.of(randomRules(new Random(seed)), randomRules(new Random(seed))).isEmpty())
        .isTrue();
  }

  @Property(tries = 300)
  void everyRuleIsAddedRemovedChangedOrTheSame(@ForAll long seed) {
    var random = new Random(seed);
    var before = randomRules(random);
    var after = randomRules(random);
    var diff = RuleDiff.of(before, after);
    assertThat(ids(diff, Kind.ADDED)).isEqualTo(without(ids(after), ids(before)));
    assertThat(ids(diff, Kind.REMOVED)).isEqualTo(without(ids(before), ids(after)));
    var both = without(ids(before), ids(diff, Kind.REMOVED));
    assertThat(both).containsAll(ids(diff, Kind.CHANGED));
    assertThat(diff.changes().stream().map(RuleDiff.Change::id)).doesNotHaveDuplicates();
    assertThat(diff.same()).isEqualTo(both.size() - ids(diff, Kind.CHANGED).size());
  }

  @Property(tries = 300)
  void editsAppliedToTheOldFieldsYieldTheNewFields(@ForAll long seed) {
    var random = new Random(seed);
    var before = randomRules(random);
    var after = randomRules(random);
    var fields = fields(before);
    for (var change : RuleDiff.of(before, after).changes()) {
      var own = fields.computeIfAbsent(change.id(), id -> new LinkedHashMap<>());
      for (var edit : change.edits()) {
        assertThat(own.getOrDefault(edit.field(), "")).isEqualTo(edit.before().orElse(""));
        edit.after().ifPresentOrElse(v -> own.put(edit.field(), v), () -> own.remove(edit.field()));
      }
      if (change.kind() == Kind.REMOVED) assertThat(fields.remove(change.id())).isEmpty();
    }
    assertThat(fields).isEqualTo(fields(after));
  }

  @Property(tries = 300)
  void rulesThatDidNotMoveKeepTheirOrder(@ForAll long seed) {
    var random = new Random(seed);
    var before = randomRules(random);
    var after = new ArrayList<>(before);
    Collections.shuffle(after, random);
    var diff = RuleDiff.of(before, after);
    assertThat(diff.changes()).isEmpty();
    assertThat(diff.isEmpty()).isEqualTo(before.equals(after));
    var moved = diff.moves().stream().map(RuleDiff.Move::id).toList();
    var rest = new ArrayList<>(before);
    rest.removeIf(rule -> moved.contains(rule.id()));
    var restAfter = new ArrayList<>(after);
    restAfter.removeIf(rule -> moved.contains(rule.id()));
    assertThat(restAfter).isEqualTo(rest);
  }

  private static Map<String, Map<String, String>> fields(List<Rule> rules) {
    var fields = new LinkedHashMap<String, Map<String, String>>();
    for (var rule : rules) fields.put(rule.id(), new LinkedHashMap<>(RuleFields.of(rule)));
    return fields;
  }

  private static Set<String> ids(List<Rule> rules) {
    return rules.stream().map(Rule::id).collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> ids(RuleDiff diff, Kind kind) {
    return diff.changes().stream()
        .filter(change -> change.kind() == kind)
        .map(RuleDiff.Change::id)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> without(Set<String> all, Set<String> removed) {
    var rest = new TreeSet<>(all);
    rest.removeAll(removed);
    return rest;
  }

  private static List<Rule> randomRules(Random random) {
    var ids = new ArrayList<>(List.of("a", "b", "c", "d", "e", "f"));
    Collections.shuffle(ids, random);
    return ids.subList(0, random.nextInt(7)).stream().map(id -> rule(id, random)).toList();
  }

  private static Rule rule(String id, Random random) {
    var rule = Rule.named(id).limit(limit(random));
    if (random.nextBoolean()) rule.match("key", random.nextBoolean() ? "user:*" : "job");
    if (random.nextInt(3) == 0) rule.match("ip", "10.0.0.0/8");
    if (random.nextInt(3) == 0) rule.limit(RuleLimit.of("more", limit(random)).withCost("bytes"));
    for (int i = random.nextInt(3); i > 0; i--) {
      var match = Match.of("key", "user:" + random.nextInt(2)); // may occur twice
      rule.override(new LimitOverride(match, List.of(RuleLimit.of(id, limit(random)))));
    }
    if (random.nextInt(3) == 0) rule.per("key", "tenant");
    if (random.nextInt(3) == 0) rule.mode(random.nextBoolean() ? Mode.SHADOW : Mode.OFF);
    if (random.nextInt(3) == 0) rule.onStoreFailure(new FailurePolicy.Deny());
    if (random.nextInt(4) == 0) rule.property("status", "503");
    if (random.nextInt(4) == 0) rule.fallback();
    if (random.nextInt(3) == 0) rule.description("number " + random.nextInt(3));
    return rule.build();
  }

  private static Limit limit(Random random) {
    int count = 1 + random.nextInt(3);
    return switch (random.nextInt(3)) {
      case 0 -> TokenBucket.of(Rate.perMinute(count)).withBurst(count + random.nextInt(2));
      case 1 -> FixedWindow.of(Rate.perHour(count));
      default -> Concurrency.of(count);
    };
  }
}
