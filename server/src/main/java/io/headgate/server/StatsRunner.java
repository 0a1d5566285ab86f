package io.headgate.server;

import io.headgate.rule.Mode;
import io.headgate.server.anomaly.Webhook;
import io.headgate.server.counts.MonotonicClock;
import io.headgate.server.http.stats.AnomalyJson;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.stats.ClusterCallers;
import io.headgate.server.stats.DecisionListener;
import io.headgate.server.stats.StatsCollector;
import io.headgate.server.stats.StatsSettings;
import io.headgate.server.store.StoreView;
import io.headgate.store.Store;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the watch going: one thread for all of it, which adds up once a second. */
final class StatsRunner implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StatsRunner.class);

  /** How often event loops look whether a second is over, and how long they are given for it. */
  private static final long LOOK_MILLIS = 50;

  private static final long AFTER_SECOND_MILLIS = 150;

  private final String instance = HexFormat.of().formatHex(random(3));
  private final MonotonicClock clock = new MonotonicClock();
  private final StatsCollector watch;
  private final ClusterCallers callers;
  private final Optional<Webhook> webhook;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("headgate-watch").factory());

  StatsRunner(StatsSettings settings, Store store) {
    var view = new StoreView(store);
    this.watch = new StatsCollector(settings.callerNames(), clock, view::isUnavailable);
    this.callers = new ClusterCallers(watch, view.bulletin(), instance);
    this.webhook =
        settings.webhook().map(target -> new Webhook(target, instance, AnomalyJson::json));
    webhook.ifPresent(hook -> watch.alarm(hook::tell));
  }

  private static byte[] random(int bytes) {
    var random = new byte[bytes];
    new SecureRandom().nextBytes(random);
    return random;
  }

  void start() {
    // The timer knows nothing of the time of day, nor of its being changed; and so the clock.
    long first = 1_000 - Math.floorMod(clock.getAsLong(), 1_000L) + AFTER_SECOND_MILLIS;
    var unusedTicks = timer.scheduleAtFixedRate(this::tick, first, 1_000, TimeUnit.MILLISECONDS);
    long every = ClusterCallers.EVERY.toMillis();
    var unusedLists = timer.scheduleAtFixedRate(this::publish, first, every, TimeUnit.MILLISECONDS);
  }

  /** Whatever goes wrong in one second, the next is added up too. */
  private void tick() {
    try {
      watch.tick();
    } catch (RuntimeException e) {
      LOG.error("the figures of a second are lost", e);
    }
  }

  private void publish() {
    try {
      callers.publish();
    } catch (RuntimeException e) {
      LOG.debug("the callers could not be told to other instances", e);
    }
  }

  /** What to call this process. */
  String instance() {
    return instance;
  }

  /**
   * Nobody misses rules that are not in force.
   *
   * @param alwaysThere rules that are not in the book, but decide
   */
  void follow(RuleRepository book, Set<String> alwaysThere) {
    book.follow(edition -> {
      var ids = new HashSet<>(alwaysThere);
      for (var rule : edition.rules().rules()) {
        if (rule.mode() != Mode.OFF) ids.add(rule.id());
      }
      watch.rulesInForce(ids);
    });
  }

  StatsCollector watch() {
    return watch;
  }

  ClusterCallers callers() {
    return callers;
  }

  /** For the event loop that calls this. */
  DecisionListener witness(Vertx vertx) {
    var observer = watch.observer();
    vertx.setPeriodic(LOOK_MILLIS, looked -> observer.tick());
    return observer;
  }

  @Override
  public void close() {
    timer.shutdownNow();
    webhook.ifPresent(Webhook::close);
  }
}
