package io.headgate.server.http.stats;

import io.headgate.limit.Stateless;
import io.headgate.redis.KeyLayout;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.api.FailurePolicyText;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.stats.FallbackStats;
import io.headgate.server.store.LayoutCounts;
import io.headgate.server.store.StoreView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Writes the state of the store as JSON: available, or unavailable since when and with what effect.
 */
final class StoreJson {
  private static final int MAX_RULES = 20; // named for each policy

  /**
   * Writes the state.
   *
   * @param rules the rules in force, of which the failure policies are listed during an outage
   * @param fallback the decisions of these policies
   * @param trackedKeys empty if unknown
   */
  static void write(
      JsonWriter out,
      StoreView store,
      RuleSet rules,
      FallbackStats fallback,
      OptionalLong trackedKeys) {
    boolean unavailable = store.isUnavailable();
    out.begin().name("kind").value(store.kind());
    out.textOrNull("address", store.address());
    out.name("unavailable").value(unavailable);
    store.region().ifPresent(region -> out.name("region").value(region.options().region()));
    store.layout().ifPresent(layout -> writeLayouts(out, layout, store.layouts()));
    var since = store.unavailableSince();
    out.name("since");
    if (since.isPresent()) out.value(since.get().toEpochMilli());
    else out.nullValue();
    out.textOrNull("problem", store.problem());
    out.name("failurePolicies").beginList();
    if (unavailable) byPolicy(rules).forEach((policy, ids) -> write(out, policy, ids));
    out.endList();
    out.name("decidedByPolicy").value(fallback.decided());
    out.name("allowedUncounted").value(fallback.uncounted());
    out.name("trackedKeys");
    if (trackedKeys.isPresent()) out.value(trackedKeys.getAsLong());
    else out.nullValue();
    out.name("breaker").value(unavailable ? "open" : "closed").end();
  }

  private static void writeLayouts(JsonWriter out, KeyLayout own, LayoutCounts all) {
    out.name("layout").value(LayoutCounts.word(own));
    out.name("layouts").begin();
    out.name(LayoutCounts.word(KeyLayout.SEPARATE)).value(all.separate());
    out.name(LayoutCounts.word(KeyLayout.COMPACT)).value(all.compact()).end();
  }

  private static void write(JsonWriter out, String policy, List<String> ids) {
    out.begin().name("policy").value(policy).name("count").value(ids.size());
    out.name("rules").value(ids.subList(0, Math.min(MAX_RULES, ids.size()))).end();
  }

  private static Map<String, List<String>> byPolicy(RuleSet rules) {
    var byPolicy = new TreeMap<String, List<String>>();
    for (var rule : rules.rules()) {
      if (rule.mode() != Mode.ENFORCE || !hasCounters(rule)) continue;
      String policy = FailurePolicyText.of(rule.onStoreFailure());
      byPolicy.computeIfAbsent(policy, name -> new ArrayList<>()).add(rule.id());
    }
    return byPolicy;
  }

  /** Returns whether the rule needs the store; one that is exempt or denies everything does not. */
  private static boolean hasCounters(Rule rule) {
    return Stream.concat(
            rule.limits().stream(),
            rule.overrides().stream().flatMap(override -> override.limits().stream()))
        .anyMatch(limit -> !(limit.limit() instanceof Stateless));
  }

  private StoreJson() {}
}
