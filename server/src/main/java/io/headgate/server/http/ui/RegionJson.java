package io.headgate.server.http.ui;

import io.headgate.redis.RegionReport;
import io.headgate.redis.RegionalStore;
import io.headgate.server.api.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes the regions as this instance sees them: home, and the shares of each region. */
final class RegionJson {
  /** A region that has not reported for this long is shown as silent. */
  private static final long SILENT_MILLIS = 10_000;

  static void write(JsonWriter out, RegionalStore store) {
    out.name("region").begin();
    out.name("name").value(store.options().region());
    out.name("leaseMs").value(store.options().lease().toMillis());
    out.name("home").begin();
    out.name("address").value(store.options().home().location());
    out.name("ready").value(store.isHomeReady());
    out.name("roundTripMs").value(Math.ceilDiv(store.homeRoundTrip().toNanos(), 1_000_000));
    if (!store.homeProblem().isEmpty()) out.name("problem").value(store.homeProblem());
    out.name("requests").value(store.homeRequests()).name("errors").value(store.homeFailures());
    out.name("seenMsAgo").value(store.reportsAge().toMillis()).end();
    out.name("regions").beginList();
    byRegion(store.reports()).forEach((name, reports) -> writeRegion(out, name, reports, store));
    out.endList().end();
  }

  private static Map<String, List<RegionReport>> byRegion(List<RegionReport> reports) {
    var all = new TreeMap<String, List<RegionReport>>();
    for (var report : reports) {
      all.computeIfAbsent(report.region(), name -> new ArrayList<>()).add(report);
    }
    return all;
  }

  private static void writeRegion(
      JsonWriter out, String name, List<RegionReport> reports, RegionalStore store) {
    long revision = Long.MAX_VALUE;
    long age = Long.MAX_VALUE;
    long roundTrip = 0;
    var rules = new TreeMap<String, RegionReport.Share>();
    int live = 0;
    for (var report : reports) {
      long reportAge = report.age().toMillis() + store.reportsAge().toMillis();
      age = Math.min(age, reportAge);
      if (reportAge > SILENT_MILLIS) continue;
      live++;
      revision = Math.min(revision, report.revision());
      roundTrip = Math.max(roundTrip, report.roundTrip().toMillis());
      report.rules().forEach((rule, share) -> rules.merge(rule, share, RegionJson::sum));
    }
    out.begin().name("name").value(name);
    out.name("silent").value(live == 0).name("instances").value(live).name("ageMs").value(age);
    if (live > 0) out.name("revision").value(revision).name("roundTripMs").value(roundTrip);
    out.name("rules").beginList();
    rules.forEach((rule, share) -> {
      out.begin().name("rule").value(rule).name("counters").value(share.counters());
      out.name("held").value(share.held());
      out.name("demandPerSecond").value(Math.round(share.demandPerSecond()));
      out.end();
    });
    out.endList().end();
  }

  private static RegionReport.Share sum(RegionReport.Share a, RegionReport.Share b) {
    return new RegionReport.Share(
        a.counters() + b.counters(),
        a.held() + b.held(),
        a.demandPerSecond() + b.demandPerSecond());
  }

  private RegionJson() {}
}
