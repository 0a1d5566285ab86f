package io.headgate.server;

import io.headgate.RateLimiter;
import io.headgate.rule.Mode;
import io.headgate.rule.RuleSet;
import io.headgate.server.anomaly.Webhook;
import io.headgate.server.counts.MonotonicClock;
import io.headgate.server.http.stats.AnomalyJson;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.stats.ClusterCallers;
import io.headgate.server.stats.DecisionListener;
import io.headgate.server.stats.StatsCollector;
import io.headgate.server.stats.StatsSettings;
import io.headgate.server.store.StoreView;
import io.headgate.store.Budget;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the statistics: one thread that aggregates the counts of all event loops every second. */
final class StatsRunner implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StatsRunner.class);

  /** How often an event loop checks whether a second has ended. */
  private static final long TICK_CHECK_MILLIS = 50;

  /** How long after the end of a second its counts are aggregated. */
  private static final long AGGREGATION_DELAY_MILLIS = 150;

  private final String instance = HexFormat.of().formatHex(random(3));
  private final MonotonicClock clock = new MonotonicClock();
  private final StatsCollector collector;
  private final ClusterCallers callers;
  private final Optional<Webhook> webhook;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("headgate-watch").factory());

  StatsRunner(StatsSettings settings, RateLimiter limiter) {
    var view = new StoreView(limiter.store());
    this.collector =
        new StatsCollector(
            settings.callerNames(), clock, view::isUnavailable, () -> levels(limiter));
    this.callers = new ClusterCallers(collector, view.broadcast(), instance);
    this.webhook =
        settings
            .webhook()
            .map(target -> new Webhook(target, instance, settings.mask(), AnomalyJson::json));
    webhook.ifPresent(hook -> collector.onAnomaly(hook::report));
  }

  /** Returns the share of the requests that each enforced rule drops, if it is above 0. */
  private static Map<String, Double> levels(RateLimiter limiter) {
    var rules = limiter.rules();
    if (!rules.hasShedding()) return Map.of();
    var levels = new HashMap<String, Double>();
    for (var level : limiter.signals().levels()) {
      if (level.level() > 0 && level.tuned().isEmpty())
        levels.merge(level.rule(), level.level(), Math::max);
    }
    for (var rule : rules.rules()) {
      if (rule.mode() != Mode.ENFORCE) levels.remove(rule.id());
    }
    return levels;
  }

  private static byte[] random(int bytes) {
    var random = new byte[bytes];
    new SecureRandom().nextBytes(random);
    return random;
  }

  void start() {
    // Both the timer and this clock are monotonic: changes of the wall clock do not affect them.
    long first = 1_000 - Math.floorMod(clock.getAsLong(), 1_000L) + AGGREGATION_DELAY_MILLIS;
    var unusedTicks = timer.scheduleAtFixedRate(this::tick, first, 1_000, TimeUnit.MILLISECONDS);
    long every = ClusterCallers.PUBLISH_INTERVAL.toMillis();
    var unusedLists = timer.scheduleAtFixedRate(this::publish, first, every, TimeUnit.MILLISECONDS);
  }

  /** Catches exceptions, since one that escaped would cancel the schedule. */
  private void tick() {
    try {
      collector.tick();
    } catch (RuntimeException e) {
      LOG.error("cannot aggregate the statistics of one second; they are lost", e);
    }
  }

  private void publish() {
    try {
      callers.publish();
    } catch (RuntimeException e) {
      LOG.debug("cannot publish the top callers to other instances", e);
    }
  }

  /**
   * Logs the checks that pass uncounted while the store is unavailable.
   *
   * @param rules supplies the rules in force
   * @param grpcDeadline how long a check over gRPC waits for the store
   */
  void logFallback(StoreView store, Supplier<RuleSet> rules, Duration grpcDeadline) {
    var fallback =
        new FallbackLog(store, rules, grpcDeadline, LoggerFactory.getLogger(FallbackLog.class));
    collector.onSnapshot(snapshot -> fallback.onSecond(snapshot.atMillis(), collector.fallback()));
  }

  /** Logs that clients are refused because budgets are used up. */
  void logBudgets(Supplier<List<Budget>> budgets) {
    var log = new BudgetLog(budgets, LoggerFactory.getLogger(BudgetLog.class));
    collector.onSnapshot(snapshot -> log.onSecond(snapshot.atMillis()));
  }

  /** Logs that instances with the same keys have different layouts. */
  void logLayouts(StoreView store) {
    if (store.layout().isEmpty()) return;
    var layouts = new LayoutLog(store, LoggerFactory.getLogger(LayoutLog.class));
    collector.onSnapshot(snapshot -> layouts.onSecond(snapshot.atMillis(), store.layouts()));
  }

  /** Returns the random identifier of this process. */
  String instance() {
    return instance;
  }

  /**
   * Drops the statistics of rules that are no longer in force, whenever the rules change.
   *
   * @param builtInRules rules that appear in decisions without being in the repository
   */
  void follow(RuleRepository repository, Set<String> builtInRules) {
    repository.follow(snapshot -> {
      var ids = new HashSet<>(builtInRules);
      for (var rule : snapshot.rules().rules()) {
        if (rule.mode() != Mode.OFF) ids.add(rule.id());
      }
      collector.setActiveRules(ids);
    });
  }

  StatsCollector collector() {
    return collector;
  }

  ClusterCallers callers() {
    return callers;
  }

  /** Returns the listener for the calling event loop. */
  DecisionListener listener(Vertx vertx) {
    var observer = collector.newCounter();
    vertx.setPeriodic(TICK_CHECK_MILLIS, id -> observer.tick());
    return observer;
  }

  @Override
  public void close() {
    timer.shutdownNow();
    webhook.ifPresent(Webhook::close);
  }
}
