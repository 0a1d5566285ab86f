package io.headgate.server.stats;

import io.headgate.server.anomaly.Anomaly;
import io.headgate.server.anomaly.AnomalyDetector;
import io.headgate.server.anomaly.DetectorInput;
import io.headgate.server.callers.CallerList;
import io.headgate.server.callers.CallerNaming;
import io.headgate.server.callers.CallerSeries;
import io.headgate.server.callers.CallerTable;
import io.headgate.server.callers.TopCallers;
import io.headgate.server.counts.MonotonicClock;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds up, once a second, what the event loops have seen, and keeps of it what people may want to
 * look at. Event loops write to their own {@link EventLoopCounter} and never wait for this; whoever
 * only wants the figures reads those of the last second and never waits either.
 */
public final class StatsCollector {
  /** The attributes that name a caller, unless others are asked for. */
  public static final List<String> USUAL_NAMES = CallerNaming.USUAL;

  private static final Logger LOG = LoggerFactory.getLogger(StatsCollector.class);
  private static final long SAID_EVERY = 60; // seconds, of what is lost

  /**
   * A look that comes later than this, in seconds, comes after a sleep or after the clock was put
   * forward: that nothing was counted in between says nothing.
   */
  private static final long LATEST = 5;

  private final CallerNaming names;
  private final LongSupplier clock;
  private final BooleanSupplier storeAway;
  private final long secret = new SecureRandom().nextLong();
  private final long started;
  private final CountsQueue inbox = new CountsQueue();
  private final Aggregator sums; // this and the next six guarded by this
  private final TopCallers callers;
  private final AnomalyDetector detector;
  private long last; // the second that was added up last
  private long read; // the second that the detector was told last
  private long lost; // of the inbox, as far as it has been said
  private long nextSaid = Long.MIN_VALUE;
  private final AtomicReference<Optional<Set<String>>> changedRules =
      new AtomicReference<>(Optional.empty());
  private final List<Consumer<StatsSnapshot>> listeners = new CopyOnWriteArrayList<>();
  private final List<Consumer<Anomaly>> alarms = new CopyOnWriteArrayList<>();
  private volatile StatsSnapshot figures;

  /**
   * @param callerNames the attributes that name a caller, in the order of looking for them
   * @param clock milliseconds since 1970; one that is not put back, such as {@link MonotonicClock}
   * @param storeAway whether policies decide instead of the store
   */
  public StatsCollector(List<String> callerNames, LongSupplier clock, BooleanSupplier storeAway) {
    this.names = new CallerNaming(callerNames);
    this.clock = clock;
    this.storeAway = storeAway;
    this.started = clock.getAsLong();
    this.last = second() - 1;
    this.read = last;
    this.sums = new Aggregator(last + 1);
    this.callers = new TopCallers(TopCallers.MOST, last);
    this.detector = new AnomalyDetector(last + 1);
    this.figures = sums.figures(last, List.of());
  }

  private long second() {
    return Math.floorDiv(clock.getAsLong(), 1_000L);
  }

  public long startedMillis() {
    return started;
  }

  /** For one event loop. */
  public EventLoopCounter observer() {
    return new EventLoopCounter(names, inbox, clock, secret);
  }

  /** Is told the figures once a second, on the thread that adds up; must not wait. */
  public void follow(Consumer<StatsSnapshot> listener) {
    listeners.add(listener);
  }

  /** Is told of each anomaly when it opens and when it ends; must not wait. */
  public void alarm(Consumer<Anomaly> listener) {
    alarms.add(listener);
  }

  /**
   * These are the rules that may decide from now on: nobody misses the others. From any thread,
   * without waiting.
   */
  public void rulesInForce(Set<String> ids) {
    changedRules.set(Optional.of(Set.copyOf(ids)));
  }

  /** To be called once a second, a little after its end. */
  public void tick() {
    var changes = new ArrayList<Anomaly>();
    if (!addUp(changes)) return;
    var now = figures;
    for (var change : changes) alarms.forEach(listener -> listener.accept(change));
    listeners.forEach(listener -> listener.accept(now));
  }

  /** False if no second has ended. */
  private synchronized boolean addUp(List<Anomaly> changes) {
    long ended = second() - 1;
    inbox.takeTallies(sums::add);
    if (ended > last) callers.advance(ended);
    inbox.takeTables(callers::add);
    if (ended <= last) return false;
    sums.advance(ended);
    detect(ended, changes);
    last = ended;
    figures = sums.figures(ended, detector.anomalies());
    sayLost();
    return true;
  }

  /**
   * Each second is looked at when the next has ended, since an event loop that is busy gives late
   * what it has counted. An outage does not wait for that.
   */
  private void detect(long ended, List<Anomaly> changes) {
    changedRules.getAndSet(Optional.empty()).ifPresent(ids -> detector.follow(ids, ended));
    changes.addAll(detector.observeStore(ended, storeAway.getAsBoolean(), sums.takeUncounted()));
    if (ended - last > LATEST) {
      read = ended;
      detector.skipTo(ended + 1);
    }
    if (read >= ended - 1) return;
    var busiest = callers.busiest();
    while (read < ended - 1) {
      read++;
      changes.addAll(
          detector.observe(new DetectorInput(read, sums.at(read), sums.rulesAt(read), busiest)));
    }
  }

  /** Where callers are invented faster than they can be added up. */
  private void sayLost() {
    long now = inbox.lost();
    if (now == lost || last < nextSaid) return;
    LOG.warn(
        "callers come faster than they can be added up: {} tables of up to {} were thrown away,"
            + " so counts of callers are too low (said once a minute)",
        now - lost,
        CallerTable.MOST);
    lost = now;
    nextSaid = last + SAID_EVERY;
  }

  /** Up to the second that ended last. */
  public StatsSnapshot figures() {
    return figures;
  }

  /** Waits while things are being added up, so it is not for event loops. */
  public synchronized CallerList callers() {
    return new CallerList(
        (last + 1) * 1_000, 1, callers.tracked(), callers.floor(), callers.total(), callers.list());
  }

  /** Each second of one caller; as above. */
  public synchronized Optional<CallerSeries> series(String caller) {
    return callers.series(caller);
  }
}
