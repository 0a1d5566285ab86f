package io.headgate.server.anomaly;

import io.headgate.server.anomaly.Anomaly.Kind;
import io.headgate.server.anomaly.Anomaly.Severity;
import io.headgate.server.anomaly.AnomalyLog.Topic;
import io.headgate.server.callers.BusyCaller;
import io.headgate.server.callers.TopCallers;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/** Detects callers whose rate rises above their own history, and new callers with a high rate. */
final class CallerMonitor {
  static final int MAX_CALLERS = 500;
  private static final long EXPIRY_SECONDS = 3_600;
  private static final long NEW_SECONDS = 120;
  private static final long MAX_NEW_SECONDS = 1_800;
  private static final double BIG_RATE = 5;
  private static final double BIG_SHARE = 0.1;
  private static final int WARM_STEPS = 60; // steps of overall traffic before a caller can be new

  private static final class TrackedCaller {
    final RateMonitor rate;
    final Hysteresis newCaller = new Hysteresis(2, 6);
    long seen;
    long openedAt;

    TrackedCaller(RateMonitor rate) {
      this.rate = rate;
    }

    boolean isOpen() {
      return rate.isOpen() || newCaller.isOpen();
    }
  }

  private final Map<String, TrackedCaller> tracked = new HashMap<>();

  /** Callers that had a high rate before and thus are not new when they return. An LRU map. */
  private final Map<String, Boolean> formerlyBig =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > 2 * MAX_CALLERS;
        }
      };

  private int busySteps;

  /**
   * Processes one step.
   *
   * @param perSecond rate of all callers together
   */
  void step(long second, List<BusyCaller> busiest, double perSecond, AnomalyLog log) {
    boolean warm = busySteps >= WARM_STEPS;
    var present = new HashSet<String>();
    for (var busy : busiest) present.add(busy.caller());
    double untrackedRate = untrackedRate(busiest);
    for (var busy : busiest) {
      var caller = tracked.get(busy.caller());
      if (caller == null) {
        if (tracked.size() >= MAX_CALLERS && !evict(present)) continue;
        caller = new TrackedCaller(monitor(busy, second, warm, untrackedRate));
        tracked.put(busy.caller(), caller);
      }
      caller.seen = second;
      caller.rate.step(second, busy.perSecond(), true, log);
      detectNew(caller, busy, second, perSecond, warm, log);
    }
    for (var entry : tracked.entrySet()) {
      if (!present.contains(entry.getKey())) quiet(entry.getKey(), entry.getValue(), second, log);
    }
    tracked.values().removeIf(caller -> second - caller.seen > EXPIRY_SECONDS && !caller.isOpen());
    if (perSecond >= 1) busySteps++;
  }

  /** Returns the maximum rate of a caller that is not among the busiest. */
  private static double untrackedRate(List<BusyCaller> busiest) {
    return busiest.size() < TopCallers.MAX_BUSY
        ? TopCallers.MIN_BUSY_RATE
        : busiest.getLast().perSecond();
  }

  /**
   * Evicts the least recently seen caller without an open anomaly.
   *
   * @return whether there was one
   */
  private boolean evict(Set<String> present) {
    var candidate =
        tracked.entrySet().stream()
            .filter(entry -> !present.contains(entry.getKey()) && !entry.getValue().isOpen())
            .min(Comparator.comparingLong(entry -> entry.getValue().seen));
    candidate.ifPresent(entry -> tracked.remove(entry.getKey()));
    return candidate.isPresent();
  }

  private static RateMonitor monitor(
      BusyCaller busy, long second, boolean warm, double untrackedRate) {
    var topic = Topic.ofCaller(Kind.RATE, busy.caller());
    String subject = busy.caller() + " sends";
    boolean isEstablished = warm && second - busy.since() > WARM_STEPS * Baseline.STEP_SECONDS;
    return isEstablished
        ? RateMonitor.knownBelow(topic, subject, RateMonitor.Thresholds.CALLER, untrackedRate)
        : new RateMonitor(topic, subject, RateMonitor.Thresholds.CALLER);
  }

  /** Processes a step without traffic of a caller, so that its open anomalies end in time. */
  private static void quiet(String name, TrackedCaller caller, long second, AnomalyLog log) {
    if (caller.rate.isOpen()) caller.rate.step(second, 0, true, log);
    if (caller.newCaller.step(false, true)) log.end(Topic.ofCaller(Kind.NEW_CALLER, name), second);
  }

  private void detectNew(
      TrackedCaller caller,
      BusyCaller busy,
      long second,
      double perSecond,
      boolean warm,
      AnomalyLog log) {
    boolean big = busy.perSecond() >= BIG_RATE && busy.perSecond() >= BIG_SHARE * perSecond;
    boolean isNew = second - busy.since() <= NEW_SECONDS && !formerlyBig.containsKey(busy.caller());
    boolean noLongerNew = caller.newCaller.isOpen() && second - caller.openedAt > MAX_NEW_SECONDS;
    boolean small = busy.perSecond() < BIG_RATE / 2 || busy.perSecond() < BIG_SHARE / 2 * perSecond;
    boolean changed = caller.newCaller.step(warm && big && isNew, small || noLongerNew);
    if (big && (caller.newCaller.isOpen() || !isNew || !warm)) formerlyBig.put(busy.caller(), true);
    if (!changed) return;
    var topic = Topic.ofCaller(Kind.NEW_CALLER, busy.caller());
    if (!caller.newCaller.isOpen()) {
      log.end(topic, second);
      return;
    }
    caller.openedAt = second;
    double share = Math.min(1, busy.perSecond() / Math.max(perSecond, busy.perSecond()));
    log.open(
        topic,
        share >= 0.5 ? Severity.WARNING : Severity.INFO,
        second,
        busy.perSecond(),
        OptionalDouble.empty(),
        (Anomaly.NEW_CALLER_TEXT + "%s, first seen %d s ago, sends %d%% of all checks (%s/s)")
            .formatted(
                busy.caller(),
                second - busy.since(),
                Math.round(share * 100),
                ShortNumber.of(busy.perSecond())));
  }
}
