package io.headgate.server.http.stats;

import io.headgate.server.anomaly.Anomaly;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.counts.CheckCounts;
import io.headgate.server.counts.Percentiles;
import io.headgate.server.counts.SecondStats;
import io.headgate.server.http.check.SheddingJson;
import io.headgate.server.quota.QuotaStats;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.SeedFile;
import io.headgate.server.stats.FallbackStats;
import io.headgate.server.stats.LoadHistory;
import io.headgate.server.stats.StatsSnapshot;
import io.headgate.server.stats.StoreLatency;
import io.headgate.server.store.StoreView;
import io.headgate.store.BackendLevel;
import io.headgate.store.HotKey;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** Writes the statistics of the service as JSON, in the documented order of fields. */
final class StatsJson {
  private static final int MAX_HOT_KEYS = 20;
  private static final int MAX_ANOMALIES = 100;
  private static final int MAX_LEVELS = 20;

  private final String instance;
  private final long startedAt;
  private final String version;
  private final StoreView store;
  private final StoreLatency storeLatency;
  private final Supplier<FallbackStats> fallback;
  private final RuleRepository repository;
  private final Supplier<List<BackendLevel>> levels;
  private final LoadHistory load;
  private final Supplier<QuotaStats> quotas;

  StatsJson(
      String instance,
      long startedAt,
      StoreView store,
      StoreLatency storeLatency,
      Supplier<FallbackStats> fallback,
      RuleRepository repository,
      Supplier<List<BackendLevel>> levels,
      LoadHistory load,
      Supplier<QuotaStats> quotas) {
    this.instance = instance;
    this.startedAt = startedAt;
    this.store = store;
    this.storeLatency = storeLatency;
    this.fallback = fallback;
    this.repository = repository;
    this.levels = levels;
    this.load = load;
    this.quotas = quotas;
    String implementationVersion = StatsJson.class.getPackage().getImplementationVersion();
    this.version = implementationVersion == null ? "development" : implementationVersion;
  }

  /** Returns the statistics with each second of the last minutes. */
  JsonWriter whole(StatsSnapshot stats, OptionalLong trackedKeys, CallerMask mask) {
    var out = new JsonWriter().begin();
    write(out, stats, trackedKeys, mask);
    writeSeries(out.name("series"), stats.series());
    return out.end();
  }

  /** Returns the statistics with the second that has just ended. */
  String event(StatsSnapshot stats, OptionalLong trackedKeys, CallerMask mask) {
    var out = new JsonWriter().begin();
    write(out, stats, trackedKeys, mask);
    var newest = stats.newest();
    out.name("tick").begin().name("at").value(newest.at());
    writeAllCounts(out, newest.counts());
    micros(out.name("p50"), newest.latency().p50());
    micros(out.name("p99"), newest.latency().p99());
    out.end();
    return out.end().toString();
  }

  private void write(
      JsonWriter out, StatsSnapshot stats, OptionalLong trackedKeys, CallerMask mask) {
    out.name("now").value(stats.atMillis());
    out.name("instance").value(instance);
    out.name("startedAt").value(startedAt);
    out.name("version").value(version);
    out.name("instances").value(store.instances());
    StoreJson.write(
        out.name("store"), store, repository.inForce().rules(), fallback.get(), trackedKeys);
    writeRules(out.name("rules"));
    out.name("rates").begin();
    writeRates(out, stats.recent(), stats.recentSeconds());
    out.name("unmatched").value(stats.recent().unmatched() / (double) stats.recentSeconds());
    out.end();
    out.name("totals").begin();
    writeAllCounts(out, stats.totals());
    out.end();
    out.name("latency").begin();
    writeLatency(out.name("check"), stats.latency());
    if (store.isRemote()) writeLatency(out.name("store"), storeLatency.lastMinute());
    else out.name("store").nullValue();
    out.end();
    out.name("byRule").beginList();
    for (var ruleStats : stats.byRule()) {
      out.begin().name("rule").value(ruleStats.rule());
      writeRates(out, ruleStats.counts(), stats.recentSeconds());
      out.end();
    }
    out.endList();
    var all = levels.get();
    writeLevels(out.name("shedding"), all.stream().filter(l -> l.tuned().isEmpty()), mask);
    writeLevels(out.name("tuning"), all.stream().filter(l -> l.tuned().isPresent()), mask);
    LoadJson.events(out.name("loadEvents"), load.events(), mask);
    QuotaJson.write(out, quotas.get());
    writeHotKeys(out.name("hotKeys"), store.hotKeys(MAX_HOT_KEYS), mask);
    out.name("anomalies").beginList();
    // If there are too many, ended ones are left out first.
    stats.anomalies().stream()
        .sorted(Comparator.comparing(Anomaly::isOpen).reversed())
        .limit(MAX_ANOMALIES)
        .forEach(anomaly -> AnomalyJson.write(out, anomaly.masked(mask)));
    out.endList();
  }

  /** Writes levels of rules that follow a signal, the highest first. */
  private static void writeLevels(JsonWriter out, Stream<BackendLevel> levels, CallerMask mask) {
    out.beginList();
    levels
        .sorted(Comparator.comparingDouble(BackendLevel::level).reversed())
        .limit(MAX_LEVELS)
        .forEach(level -> {
          out.begin().name("rule").value(level.rule());
          out.name("backend").value(mask.value(level.backend()));
          SheddingJson.writeLevel(out, level);
          out.end();
        });
    out.endList();
  }

  static void writeHotKeys(JsonWriter out, List<HotKey> hotKeys, CallerMask mask) {
    out.beginList();
    for (var hot : hotKeys) {
      out.begin().name("rule").value(hot.rule()).name("key").value(mask.value(hot.key()));
      out.name("perSecond").value(hot.perSecond());
      out.name("mode").value(hot.leased() ? "leased" : "strict").end();
    }
    out.endList();
  }

  private void writeRules(JsonWriter out) {
    var snapshot = repository.inForce();
    var condition = repository.condition();
    boolean file = condition.readOnly().isPresent();
    boolean examples = snapshot.revision().changeInfo().equals(SeedFile.EXAMPLES);
    out.begin().name("count").value(snapshot.rules().rules().size());
    out.name("revision").value(snapshot.number());
    out.name("source").value(file ? "file" : examples ? "examples" : "database");
    out.textOrNull("problem", condition.problem());
    out.textOrNull("ignoredFile", condition.ignoredFile());
    out.end();
  }

  private static void writeRates(JsonWriter out, CheckCounts counts, int seconds) {
    out.name("allowed").value(counts.allowed() / (double) seconds);
    out.name("denied").value(counts.denied() / (double) seconds);
    out.name("shadowDenied").value(counts.shadowDenied() / (double) seconds);
    out.name("degraded").value(counts.degraded() / (double) seconds);
    out.name("delayed").value(counts.delayed() / (double) seconds);
  }

  private static void writeAllCounts(JsonWriter out, CheckCounts counts) {
    writeCounts(out, counts);
    out.name("unmatched").value(counts.unmatched());
  }

  /** Writes the counts of a rule as members of an open object. */
  static void writeCounts(JsonWriter out, CheckCounts counts) {
    out.name("allowed").value(counts.allowed()).name("denied").value(counts.denied());
    out.name("shadowDenied").value(counts.shadowDenied());
    out.name("degraded").value(counts.degraded());
    out.name("delayed").value(counts.delayed());
  }

  private static void writeLatency(JsonWriter out, Percentiles times) {
    out.begin();
    micros(out.name("p50"), times.p50());
    micros(out.name("p90"), times.p90());
    micros(out.name("p99"), times.p99());
    micros(out.name("max"), times.max());
    out.end();
  }

  private static void writeSeries(JsonWriter out, List<SecondStats> series) {
    out.begin().name("from").value(series.getFirst().at()).name("stepMs").value(1_000);
    writeAll(out.name("allowed"), series, second -> second.counts().allowed());
    writeAll(out.name("denied"), series, second -> second.counts().denied());
    writeAll(out.name("shadowDenied"), series, second -> second.counts().shadowDenied());
    writeAll(out.name("degraded"), series, second -> second.counts().degraded());
    writeAll(out.name("delayed"), series, second -> second.counts().delayed());
    writeAll(out.name("unmatched"), series, second -> second.counts().unmatched());
    out.name("p50").beginList();
    for (var second : series) micros(out, second.latency().p50());
    out.endList().name("p99").beginList();
    for (var second : series) micros(out, second.latency().p99());
    out.endList().end();
  }

  private static void writeAll(
      JsonWriter out, List<SecondStats> series, ToLongFunction<SecondStats> figure) {
    out.beginList();
    for (var second : series) out.value(figure.applyAsLong(second));
    out.endList();
  }

  private static void micros(JsonWriter out, OptionalLong nanos) {
    if (nanos.isEmpty()) out.nullValue();
    else out.value(nanos.getAsLong() / 1_000.0);
  }
}
