package io.headgate.server.http.stats;

import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.server.api.FailurePolicyText;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.callers.CallerList;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.callers.CallerWeight;
import io.headgate.server.callers.RuleCallerStats;
import io.headgate.server.callers.RuleDenial;
import io.headgate.server.counts.CheckCounts;
import io.headgate.server.counts.CheckSeries;
import io.headgate.server.rules.RuleModified;
import io.headgate.server.stats.LoadHistory;
import io.headgate.server.stats.RuleActivity;
import io.headgate.server.stats.RuleMinute;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/** Writes the history of decisions and the statistics of rules as JSON. */
final class RuleStatsJson {
  private final String instance;
  private final long startedAt;

  RuleStatsJson(String instance, long startedAt) {
    this.instance = instance;
    this.startedAt = startedAt;
  }

  /**
   * Returns the decisions of a range of time.
   *
   * @param rule empty for all rules together
   * @param tracked whether the counts are those of the rule alone
   */
  JsonWriter history(CheckSeries series, Optional<String> rule, boolean tracked) {
    var resolution = series.resolution();
    var out = begin((series.last() + 1) * 1_000);
    out.name("range").value(resolution.range());
    out.textOrNull("rule", rule);
    out.name("tracked").value(tracked);
    out.name("from").value(series.from() * 1_000);
    out.name("stepMs").value(resolution.bucketSeconds() * 1_000L);
    out.name("lastMs").value(series.newestSeconds() * 1_000L);
    write(out.name("allowed"), series, CheckCounts::allowed);
    write(out.name("denied"), series, CheckCounts::denied);
    write(out.name("shadowDenied"), series, CheckCounts::shadowDenied);
    write(out.name("degraded"), series, CheckCounts::degraded);
    write(out.name("delayed"), series, CheckCounts::delayed);
    if (rule.isEmpty()) write(out.name("unmatched"), series, CheckCounts::unmatched);
    return out.end();
  }

  private static void write(
      JsonWriter out, CheckSeries series, ToLongFunction<CheckCounts> column) {
    out.value(series.buckets().stream().mapToLong(column).toArray());
  }

  /**
   * Returns the last minute, the last denial and the last change of each rule.
   *
   * @param minutes in the order of the rules
   * @param other the last minute of the rules without counts of their own
   */
  JsonWriter list(
      long now,
      long revision,
      List<Rule> rules,
      List<RuleMinute> minutes,
      Map<String, RuleModified> changes,
      CheckCounts other) {
    var out = begin(now).name("revision").value(revision);
    out.name("rules").beginList();
    for (int i = 0; i < rules.size(); i++) {
      var minute = minutes.get(i);
      out.begin().name("rule").value(minute.rule());
      out.name("mode").value(mode(rules.get(i).mode()));
      write(out.name("lastMinute"), minute.counts());
      number(out.name("lastDenied"), minute.lastDeniedMillis());
      write(out, Optional.ofNullable(changes.get(minute.rule())));
      out.end();
    }
    out.endList();
    write(out.name("other"), other);
    return out.end();
  }

  /**
   * Returns the statistics of one rule.
   *
   * @param rule empty if it is not in force
   * @param change its last change, if known
   * @param load the recent levels or rates of its backends
   */
  JsonWriter rule(
      long now,
      String id,
      Optional<Rule> rule,
      RuleActivity activity,
      Optional<RuleModified> change,
      List<LoadHistory.Series> load,
      CallerMask mask) {
    var out = begin(now).name("rule").value(id);
    out.name("inForce").value(rule.isPresent());
    out.textOrNull("mode", rule.map(Rule::mode).map(RuleStatsJson::mode));
    out.name("tracked").value(activity.tracked());
    out.name("masked").value(mask.isActive());
    write(out.name("lastMinute"), activity.lastMinute());
    write(out.name("lastHour"), activity.lastHour());
    write(out.name("lastDay"), activity.lastDay());
    number(out.name("lastDenied"), activity.lastDeniedMillis());
    write(out, change);
    out.textOrNull(
        "onStoreFailure", rule.map(Rule::onStoreFailure).map(FailurePolicyText::withGrace));
    write(out.name("callers"), activity.callers(), mask);
    out.name("denials").beginList();
    for (var denial : activity.callers().latest()) write(out, denial, mask);
    out.endList();
    LoadJson.series(out.name("load"), load, mask);
    return out.end();
  }

  private JsonWriter begin(long now) {
    var out = new JsonWriter().begin();
    out.name("now").value(now).name("instance").value(instance);
    return out.name("startedAt").value(startedAt);
  }

  private static void write(JsonWriter out, CheckCounts counts) {
    out.begin();
    StatsJson.writeCounts(out, counts);
    out.end();
  }

  private static void write(JsonWriter out, Optional<RuleModified> change) {
    out.name("changedAt");
    if (change.isPresent()) out.value(change.get().at().toEpochMilli());
    else out.nullValue();
    out.name("changedIn");
    if (change.isPresent()) out.value(change.get().revision());
    else out.nullValue();
  }

  private static void write(JsonWriter out, RuleCallerStats callers, CallerMask mask) {
    out.begin().name("windowMs").value(CallerList.WINDOW_SECONDS * 1_000L);
    out.name("checks").value(Math.round(callers.checks()));
    out.name("denials").value(Math.round(callers.denials()));
    write(out.name("busiest"), "checks", callers.busiest(), mask);
    write(out.name("denied"), "denials", callers.denied(), mask);
    out.end();
  }

  private static void write(
      JsonWriter out, String weight, List<CallerWeight> callers, CallerMask mask) {
    out.beginList();
    for (var caller : callers) {
      out.begin().name("caller").value(mask.name(caller.caller()));
      out.name(weight).value(Math.round(caller.weight()));
      out.name("error").value(Math.round(Math.ceil(caller.error()))).end();
    }
    out.endList();
  }

  private static void write(JsonWriter out, RuleDenial denial, CallerMask mask) {
    out.begin().name("caller").value(mask.name(denial.caller()));
    out.name("at").value(denial.atMillis()).name("since").value(denial.sinceMillis());
    out.name("count").value(denial.count());
    out.name("shadow").value(denial.shadow());
    out.name("limit").value(denial.limit());
    number(out.name("retryAfterMs"), denial.retryAfterMillis());
    out.end();
  }

  private static void number(JsonWriter out, OptionalLong number) {
    if (number.isPresent()) out.value(number.getAsLong());
    else out.nullValue();
  }

  private static String mode(Mode mode) {
    return switch (mode) {
      case ENFORCE -> "enforce";
      case SHADOW -> "shadow";
      case OFF -> "off";
    };
  }
}
