package io.headgate.server.stats;

import io.headgate.server.anomaly.Anomaly;
import io.headgate.server.anomaly.AnomalyDetector;
import io.headgate.server.anomaly.DetectorInput;
import io.headgate.server.callers.CallerList;
import io.headgate.server.callers.CallerNaming;
import io.headgate.server.callers.CallerSeries;
import io.headgate.server.callers.CallerTable;
import io.headgate.server.callers.TopCallers;
import io.headgate.server.counts.CheckSeries;
import io.headgate.server.counts.MonotonicClock;
import io.headgate.server.counts.Resolution;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Aggregates the counts of the event loops once a second, and keeps recent statistics, top callers
 * and anomalies. Event loops write to their own {@link EventLoopCounter} and never block on this
 * class. {@link #snapshot} returns the statistics of the last second without blocking. Thread-safe.
 */
public final class StatsCollector {
  /** The attributes that name a caller by default. */
  public static final List<String> DEFAULT_CALLER_NAMES = CallerNaming.DEFAULT_ATTRIBUTES;

  /** The name of all rules that have no counts of their own. */
  public static final String OTHER_RULES = Aggregator.OTHER;

  private static final Logger LOG = LoggerFactory.getLogger(StatsCollector.class);
  private static final long LOG_INTERVAL = 60; // seconds between warnings about dropped tables

  /**
   * A tick that is late by more than this, in seconds, follows a sleep or a clock change. The
   * absence of counts in between then means nothing.
   */
  private static final long MAX_TICK_DELAY = 5;

  private final CallerNaming names;
  private final LongSupplier clock;
  private final BooleanSupplier storeUnavailable;
  private final Supplier<Map<String, Double>> levels;
  private final long secret = new SecureRandom().nextLong();
  private final long started;
  private final CountsQueue queue = new CountsQueue();
  private final Aggregator aggregator; // this and the next seven fields are guarded by this
  private final TopCallers callers;
  private final AnomalyDetector detector;
  private final FallbackCounter fallbackCounter = new FallbackCounter();
  private long last; // the last aggregated second
  private long detected; // the last second passed to the detector
  private long reportedDrops; // dropped tables reported so far
  private long nextWarning = Long.MIN_VALUE;
  private final AtomicReference<Optional<Set<String>>> changedRules =
      new AtomicReference<>(Optional.empty());
  private final List<Consumer<StatsSnapshot>> snapshotListeners = new CopyOnWriteArrayList<>();
  private final List<Consumer<Anomaly>> anomalyListeners = new CopyOnWriteArrayList<>();
  private volatile StatsSnapshot snapshot;
  private volatile FallbackStats fallback = FallbackStats.NONE;

  /**
   * Creates a collector.
   *
   * @param callerNames the attributes that name a caller, in order of preference
   * @param clock milliseconds since the epoch; must not go back, such as {@link MonotonicClock}
   * @param storeUnavailable whether failure policies currently replace the store
   */
  public StatsCollector(
      List<String> callerNames, LongSupplier clock, BooleanSupplier storeUnavailable) {
    this(callerNames, clock, storeUnavailable, Map::of);
  }

  /**
   * Creates a collector.
   *
   * @param levels supplies the share of the requests that each rule drops to shed load
   */
  public StatsCollector(
      List<String> callerNames,
      LongSupplier clock,
      BooleanSupplier storeUnavailable,
      Supplier<Map<String, Double>> levels) {
    this.levels = levels;
    this.names = new CallerNaming(callerNames);
    this.clock = clock;
    this.storeUnavailable = storeUnavailable;
    this.started = clock.getAsLong();
    this.last = second() - 1;
    this.detected = last;
    this.aggregator = new Aggregator(last + 1);
    this.callers = new TopCallers(TopCallers.MAX_CALLERS, last);
    this.detector = new AnomalyDetector(last + 1);
    this.snapshot = aggregator.snapshot(last, List.of());
  }

  private long second() {
    return Math.floorDiv(clock.getAsLong(), 1_000L);
  }

  /** Returns the time of creation, in milliseconds since the epoch. */
  public long startedMillis() {
    return started;
  }

  /** Creates the counter of one event loop. */
  public EventLoopCounter newCounter() {
    return new EventLoopCounter(names, queue, clock, secret);
  }

  /**
   * Adds a listener that receives the snapshot of each second on the aggregating thread. It must
   * not block.
   */
  public void onSnapshot(Consumer<StatsSnapshot> listener) {
    snapshotListeners.add(listener);
  }

  /** Adds a listener that is notified when an anomaly opens and when it ends. It must not block. */
  public void onAnomaly(Consumer<Anomaly> listener) {
    anomalyListeners.add(listener);
  }

  /**
   * Sets the ids of the rules in force. Missing traffic of other rules is no longer an anomaly.
   * Does not block.
   */
  public void setActiveRules(Set<String> ids) {
    changedRules.set(Optional.of(Set.copyOf(ids)));
  }

  /**
   * Aggregates the second that just ended and notifies the listeners. Must be called once a second,
   * shortly after its end.
   */
  public void tick() {
    var changes = new ArrayList<Anomaly>();
    if (!aggregate(changes)) return;
    var now = snapshot;
    for (var change : changes) anomalyListeners.forEach(listener -> listener.accept(change));
    snapshotListeners.forEach(listener -> listener.accept(now));
  }

  /** Returns false if no second has ended. */
  private synchronized boolean aggregate(List<Anomaly> changes) {
    long ended = second() - 1;
    queue.drainCounts(aggregator::add);
    if (ended > last) callers.advance(ended);
    queue.drainTables(callers::add);
    if (ended <= last) return false;
    aggregator.advance(ended);
    detect(ended, changes);
    last = ended;
    snapshot = aggregator.snapshot(ended, detector.anomalies());
    reportDrops();
    return true;
  }

  /**
   * Passes each second to the detector one second late, since a busy event loop delivers its counts
   * late. Outages are detected without this delay.
   */
  private void detect(long ended, List<Anomaly> changes) {
    changedRules.getAndSet(Optional.empty()).ifPresent(ids -> detector.setActiveRules(ids, ended));
    boolean unavailable = storeUnavailable.getAsBoolean();
    long uncounted = aggregator.takeUncounted();
    fallback = fallbackCounter.add(ended, unavailable, aggregator.takeDegraded(), uncounted);
    changes.addAll(detector.observeStore(ended, unavailable, uncounted));
    changes.addAll(detector.observeLevels(ended, levels.get()));
    if (ended - last > MAX_TICK_DELAY) {
      detected = ended;
      detector.skipTo(ended + 1);
    }
    if (detected >= ended - 1) return;
    var busiest = callers.busiest();
    while (detected < ended - 1) {
      detected++;
      changes.addAll(
          detector.observe(
              new DetectorInput(
                  detected, aggregator.at(detected), aggregator.rulesAt(detected), busiest)));
    }
  }

  /** Warns at most once a minute about dropped caller tables. */
  private void reportDrops() {
    long now = queue.dropped();
    if (now == reportedDrops || last < nextWarning) return;
    LOG.warn(
        "new callers arrive faster than they can be counted: dropped {} tables of up to {} callers,"
            + " so caller counts are too low (logged at most once a minute)",
        now - reportedDrops,
        CallerTable.MAX_CALLERS);
    reportedDrops = now;
    nextWarning = last + LOG_INTERVAL;
  }

  /** Returns the statistics up to the last completed second. Does not block. */
  public StatsSnapshot snapshot() {
    return snapshot;
  }

  /** Returns the decisions of failure policies in the current outage. Does not block. */
  public FallbackStats fallback() {
    return fallback;
  }

  /**
   * Returns the top callers. May block briefly while counts are aggregated, so not for event loops.
   */
  public synchronized CallerList callers() {
    return new CallerList(
        (last + 1) * 1_000, 1, callers.tracked(), callers.floor(), callers.total(), callers.list());
  }

  /**
   * Returns the checks of all rules. May block as {@link #callers} does.
   *
   * @param resolution the range, and the length of its buckets
   */
  public synchronized CheckSeries history(Resolution resolution) {
    return aggregator.series(resolution, last);
  }

  /**
   * Returns the checks of a rule, zeros if it has none. May block as {@link #callers} does.
   *
   * @param rule an id, or {@link #OTHER_RULES}
   */
  public synchronized CheckSeries history(Resolution resolution, String rule) {
    return aggregator.series(resolution, last, rule);
  }

  /**
   * Returns whether a rule has counts of its own in this range, or would have if it were used. May
   * block as {@link #callers} does.
   */
  public synchronized boolean isTracked(Resolution resolution, String rule) {
    return aggregator.isTracked(resolution, rule);
  }

  /** Returns the statistics of a rule. May block as {@link #callers} does. */
  public synchronized RuleActivity rule(String rule) {
    return new RuleActivity(
        aggregator.has(rule),
        aggregator.isTracked(Resolution.MINUTES, rule),
        aggregator.lastMinute(rule, last),
        aggregator.series(Resolution.TEN_SECONDS, last, rule).sum(),
        aggregator.series(Resolution.MINUTES, last, rule).sum(),
        lastDenied(rule),
        callers.ofRule(rule));
  }

  private OptionalLong lastDenied(String rule) {
    var second = aggregator.lastDenial(rule);
    return second.isPresent() ? OptionalLong.of(second.getAsLong() * 1_000) : second;
  }

  /**
   * Returns the checks of the last minute and the last denial of each of these rules. May block as
   * {@link #callers} does.
   */
  public synchronized List<RuleMinute> lastMinute(Collection<String> rules) {
    var minutes = new ArrayList<RuleMinute>(rules.size());
    for (var rule : rules) {
      minutes.add(new RuleMinute(rule, aggregator.lastMinute(rule, last), lastDenied(rule)));
    }
    return minutes;
  }

  /** Returns the counts of each second of one caller. May block as {@link #callers} does. */
  public synchronized Optional<CallerSeries> series(String caller) {
    return callers.series(caller);
  }
}
