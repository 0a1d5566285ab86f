package io.headgate.server.http.stats;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.rule.RuleSet;
import io.headgate.server.anomaly.Anomaly;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.quota.QuotaRuleStats;
import io.headgate.server.quota.QuotaStats;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.server.stats.FallbackStats;
import io.headgate.server.stats.LoadHistory;
import io.headgate.server.stats.StatsCollector;
import io.headgate.server.stats.StatsSnapshot;
import io.headgate.server.stats.StoreLatency;
import io.headgate.server.store.StoreView;
import io.headgate.store.HotKey;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class StatsJsonTest {
  private static final QuotaStats QUOTAS =
      new QuotaStats(
          2, 3, 40, 500, 7, 2, 1, 9, List.of(new QuotaRuleStats("r", 3, 40, 500, 7, 4, 9)));

  private static Anomaly anomaly(int id, boolean open) {
    return new Anomaly(
        "" + id,
        Anomaly.Kind.RATE,
        Anomaly.Severity.WARNING,
        id * 1_000L,
        open ? OptionalLong.empty() : OptionalLong.of(id * 1_000L + 500),
        Optional.empty(),
        Optional.of("caller" + id),
        1,
        OptionalDouble.empty(),
        "caller" + id + " sends more");
  }

  private static StatsSnapshot with(List<Anomaly> anomalies) {
    var none =
        new StatsCollector(StatsCollector.DEFAULT_CALLER_NAMES, () -> 0, () -> false).snapshot();
    return new StatsSnapshot(
        none.atMillis(),
        none.recentSeconds(),
        none.recent(),
        none.totals(),
        none.latency(),
        none.series(),
        none.byRule(),
        anomalies);
  }

  @Test
  void callersOfAnomaliesAreMasked() {
    var mask = CallerMask.of(new byte[] {1}, List.of());
    try (var store = MemoryStore.create(Ticker.system(), 10)) {
      var body = body(store);
      var stats = with(List.of(anomaly(4_211, true)));
      String shown = mask.name("caller4211");
      for (var text :
          List.of(
              body.whole(stats, OptionalLong.empty(), mask).toString(),
              body.event(stats, OptionalLong.empty(), mask))) {
        assertThat(text)
            .contains("\"caller\":\"" + shown + "\"", "\"text\":\"" + shown + " sends more\"")
            .doesNotContain("caller4211");
      }
      assertThat(body.event(stats, OptionalLong.empty(), CallerMask.NONE))
          .contains("caller4211 sends more");
    }
  }

  private static StatsJson body(MemoryStore store) {
    return new StatsJson(
        "instance",
        0,
        new StoreView(store),
        new StoreLatency(),
        () -> FallbackStats.NONE,
        InMemoryRuleRepository.of(RuleSet.of()),
        List::of,
        new LoadHistory(RuleSet::of),
        () -> QUOTAS);
  }

  @Test
  void requestsThatProxiesReportAreMarkedAsReported() {
    var out = new JsonWriter().begin();
    QuotaJson.write(out, QUOTAS);
    assertThat(out.end().toString())
        .isEqualTo(
            "{\"quotas\":{\"streams\":2,\"buckets\":3,\"assigned\":40,\"reportedAllowed\":500,"
                + "\"reportedDenied\":7,\"clamped\":2,\"unassigned\":1,\"expired\":9,\"rules\":[{\"rule\":\"r\","
                + "\"buckets\":3,\"assigned\":40,\"reportedAllowed\":500,\"reportedDenied\":7,"
                + "\"wouldDeny\":4,\"expired\":9}]}}");
    var none = new JsonWriter().begin();
    QuotaJson.write(none, QuotaStats.NONE);
    assertThat(none.end().toString()).isEqualTo("{}");
  }

  @Test
  void hotKeysAreMasked() {
    var mask = CallerMask.of(new byte[] {1}, List.of());
    var out = new JsonWriter();
    StatsJson.writeHotKeys(out, List.of(new HotKey("users", "user:4211", 5, false)), mask);
    assertThat(out.toString())
        .isEqualTo(
            "[{\"rule\":\"users\",\"key\":\"%s\",\"perSecond\":5,\"mode\":\"strict\"}]"
                .formatted(mask.name("user:4211")));
  }

  @Test
  void openAnomaliesComeFirst() throws Exception {
    var anomalies = new ArrayList<Anomaly>(); // the newest first
    for (int id = 150; id > 0; id--) anomalies.add(anomaly(id, id == 2 || id == 7));
    try (var store = MemoryStore.create(Ticker.system(), 10)) {
      var body = body(store);
      var written =
          new ObjectMapper()
              .readTree(
                  body.whole(with(anomalies), OptionalLong.empty(), CallerMask.NONE).toString());
      assertThat(written.get("anomalies")).hasSize(100);
      assertThat(written.get("anomalies").findValuesAsText("id")).startsWith("7", "2", "150");
    }
  }
}
