package io.headgate.internal.shedding;

import io.headgate.limit.Shed;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Tuning;
import io.headgate.load.DropShares;
import io.headgate.load.ShedController;
import io.headgate.load.ShedPolicy;
import io.headgate.rule.Counter;
import io.headgate.rule.Subject;
import io.headgate.store.BackendLevel;
import io.headgate.store.LoadReading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The load of one backend under one rule, on this instance: the last reading of the store, the mix
 * of the traffic, and the reports that were not sent yet. Thread-safe.
 *
 * <p>Times are microseconds of this instance's clock, unless they are said to be the store's.
 */
final class BackendLoad {
  /** How often the shares are recomputed; requests do so if the background thread is late. */
  static final long REFRESH_MICROS = 500_000;

  private static final int MAX_PENDING = 64;

  /** Below this level a backend that was not shedding does not begin to. */
  private static final double MIN_LEVEL = 0.001;

  private final Counter counter;
  private final String key;
  private final ShedPolicy policy;
  private final double[] guarantees;
  private final long ruleHash;
  private final TrafficMix mix;
  private final @Nullable CallerSketch[] sketches;
  private final Map<Long, Pending> pending = new HashMap<>(); // guarded by itself

  /** Everything that a request needs; replaced as a whole. */
  private record View(
      LoadReading reading, long readAt, double level, DropShares shares, long refreshedAt) {}

  /** A signal that was not sent yet. */
  record Pending(double value, double weight) {}

  private volatile View view;
  private volatile long usedAt;
  private volatile Counter tuned; // with the present limit
  private double notifiedRate; // guarded by this

  BackendLoad(Counter counter, String key, long now) {
    this.counter = counter;
    this.key = key;
    this.policy =
        counter.limit() instanceof Shed shed
            ? shed.policy()
            : counter.tuning().orElseThrow().policy();
    this.tuned = counter;
    this.guarantees = policy.guarantees();
    this.ruleHash = counter.rule().hashCode();
    this.mix = new TrafficMix(policy.priorities());
    this.sketches = new CallerSketch[policy.priorities()];
    this.view = new View(LoadReading.NONE, now, 0, DropShares.none(policy.priorities()), now);
    this.usedAt = now;
  }

  Counter counter() {
    return counter;
  }

  String key() {
    return key;
  }

  ShedPolicy policy() {
    return policy;
  }

  /** Returns whether requests are dropped now. */
  boolean isShedding() {
    return view.level > 0;
  }

  /** Returns whether the store has a report of the backend, or this instance has one to send. */
  boolean isReported() {
    if (view.reading.at() > 0) return true;
    synchronized (pending) {
      return !pending.isEmpty();
    }
  }

  /** Returns when there was the last request or report. */
  long usedAt() {
    return usedAt;
  }

  /** Returns the counter with the present limit; the counter itself unless its rate is tuned. */
  Counter tuned() {
    mix.count(0, false, true);
    return tuned;
  }

  /** Counts a request while none is dropped. */
  void countAdmitted(Subject subject) {
    mix.count(priorityOf(subject), false, true);
  }

  /**
   * Returns the time after which the request may pass, in microseconds; 0 if it passes now.
   *
   * @param counted whether the request counts for the mix of the traffic
   */
  long waitOf(Subject subject, long now, boolean counted) {
    var current = view;
    int priority = priorityOf(subject);
    long caller = subject.keyedHash(policy.callers(), current.reading.seed(), ruleHash);
    var sketch = sketches[priority];
    boolean heavy = sketch != null && sketch.isHeavy(caller);
    double share = current.shares.of(priority, heavy);
    long storeTime = current.reading.now() + (now - current.readAt);
    long wait = CallerDice.waitOf(caller, share, storeTime, heavy);
    if (counted) {
      if (sketch != null) sketch.add(caller);
      mix.count(priority, heavy, wait == 0);
    }
    return wait;
  }

  /** Returns the priority of the subject's requests; empty if the policy has none. */
  String priority(Subject subject) {
    return policy.order().isEmpty() ? "" : policy.order().get(priorityOf(subject));
  }

  private int priorityOf(Subject subject) {
    var order = policy.order();
    int last = order.size() - 1;
    if (last <= 0) return 0;
    String value = subject.attribute(policy.priorityBy()).orElse("");
    for (int i = 0; i < last; i++) {
      if (order.get(i).equals(value)) return i;
    }
    return last;
  }

  boolean needsRefresh(long now) {
    long age = now - view.refreshedAt;
    return age > 2 * REFRESH_MICROS || age < 0;
  }

  /**
   * Stores a reading that was received at {@code now}. A store that has lost its state returns
   * none; the last reading then stays, and fades.
   */
  synchronized void update(LoadReading reading, long now) {
    boolean lost = reading.at() == 0 && view.reading.at() > 0;
    if (!lost) view = new View(reading, now, view.level, view.shares, view.refreshedAt);
    refresh(now);
  }

  /** Takes the reading of an entry that this one replaces. */
  void adopt(BackendLoad other, long now) {
    var old = other.view;
    update(old.reading, old.readAt);
    refresh(now);
  }

  /** Recomputes the level and the shares for {@code now}. */
  synchronized void refresh(long now) {
    if (mix.update(now)) usedAt = now;
    var last = view;
    double level = last.reading.level(Math.max(0, now - last.readAt));
    if (last.level == 0 && level < MIN_LEVEL) level = 0;
    for (int i = 0; i < sketches.length; i++) {
      if (level == 0) {
        sketches[i] = null;
        continue;
      }
      var sketch = sketches[i];
      if (sketch == null) sketches[i] = sketch = new CallerSketch();
      sketch.refresh(now);
    }
    tune(last, now);
    var shares = level == 0 ? DropShares.none(sketches.length) : mix.shares(level, guarantees);
    view = new View(last.reading, last.readAt, level, shares, now);
  }

  private void tune(View last, long now) {
    if (!(counter.limit() instanceof TokenBucket bucket)) return;
    var reading = last.reading;
    double admitted = 1 - Math.max(0, reading.drop());
    long storeTime = reading.now() + Math.max(0, now - last.readAt);
    double trust = reading.at() == 0 ? 0 : ShedController.level(1, reading.at(), storeTime);
    var present = counter.tuning().orElseThrow().at(bucket, admitted, trust);
    if (!present.equals(tuned.limit())) tuned = counter.withLimit(present);
  }

  /**
   * Returns whether the rate has changed by a tenth or more since the last call that returned true.
   */
  synchronized boolean isRateChanged() {
    if (!(tuned.limit() instanceof TokenBucket present)) return false;
    double rate = Tuning.perSecond(present.rate());
    if (notifiedRate == 0 && counter.limit() instanceof TokenBucket bucket) {
      notifiedRate = Tuning.perSecond(bucket.rate());
    }
    if (Math.abs(rate - notifiedRate) < notifiedRate / 10) return false;
    notifiedRate = rate;
    return true;
  }

  /** Adds a signal to send, in place of an earlier one of the same instance. */
  void report(long reporter, Pending signal, long now) {
    usedAt = now;
    synchronized (pending) {
      if (pending.size() >= MAX_PENDING && !pending.containsKey(reporter)) {
        pending.remove(pending.keySet().iterator().next()); // the rest is a sample of all
      }
      pending.put(reporter, signal);
    }
  }

  /** Returns the signals to send, and removes them. */
  Map<Long, Pending> takePending() {
    synchronized (pending) {
      if (pending.isEmpty()) return Map.of();
      var taken = Map.copyOf(pending);
      pending.clear();
      return taken;
    }
  }

  BackendLevel level(long now) {
    var current = view;
    var reading = current.reading;
    Optional<Duration> age =
        reading.at() == 0
            ? Optional.empty()
            : Optional.of(
                Duration.ofNanos(
                    1_000 * Math.max(0, reading.now() - reading.at() + now - current.readAt)));
    List<Double> shares = new ArrayList<>();
    IntStream.range(0, policy.priorities()).forEach(i -> shares.add(current.shares.of(i)));
    Optional<TokenBucket> present =
        tuned.limit() instanceof TokenBucket bucket ? Optional.of(bucket) : Optional.empty();
    return new BackendLevel(
        counter.rule(),
        key,
        current.level,
        policy.signal(),
        policy.target(),
        reading.value(),
        reading.reporters(),
        age,
        shares,
        present);
  }
}
