package io.headgate.server.http.stats;

import io.headgate.server.api.JsonWriter;
import io.headgate.server.quota.QuotaStats;

/** Writes the quota assignments of proxies as JSON, and the requests that they have reported. */
final class QuotaJson {
  /** Writes nothing if no proxy has used quotas. */
  static void write(JsonWriter out, QuotaStats stats) {
    if (stats.streams() == 0 && stats.admitted() + stats.denied() == 0) return;
    out.name("quotas").begin();
    out.name("streams").value(stats.streams()).name("buckets").value(stats.buckets());
    out.name("assigned").value(stats.outstanding());
    out.name("reportedAllowed").value(stats.admitted());
    out.name("reportedDenied").value(stats.denied());
    out.name("clamped").value(stats.clamped());
    out.name("unassigned").value(stats.unassigned()).name("expired").value(stats.expired());
    out.name("rules").beginList();
    for (var rule : stats.rules()) {
      out.begin().name("rule").value(rule.rule()).name("buckets").value(rule.buckets());
      out.name("assigned").value(rule.assigned());
      out.name("reportedAllowed").value(rule.admitted());
      out.name("reportedDenied").value(rule.denied());
      out.name("wouldDeny").value(rule.wouldDeny());
      out.name("expired").value(rule.expired()).end();
    }
    out.endList().end();
  }

  private QuotaJson() {}
}
