package io.headgate.server.anomaly;

import io.headgate.server.anomaly.Anomaly.Kind;
import io.headgate.server.anomaly.Anomaly.Severity;
import io.headgate.server.anomaly.AnomalyLog.Matter;
import io.headgate.server.callers.BusyCaller;
import io.headgate.server.callers.TopCallers;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/** Notices callers that ask more than they used to, and new ones that are at once big. */
final class CallerMonitor {
  static final int MOST = 500;
  private static final long FORGET_SECONDS = 3_600;
  private static final long NEW_SECONDS = 120;
  private static final long NEW_NO_MORE_SECONDS = 1_800;
  private static final double BIG_RATE = 5;
  private static final double BIG_SHARE = 0.1;
  private static final int WARM_STEPS = 60; // of the whole, before anybody is called new

  private static final class Known {
    final RateMonitor rate;
    final Hysteresis fresh = new Hysteresis(2, 6);
    long seen;
    long openedAt;

    Known(RateMonitor rate) {
      this.rate = rate;
    }

    boolean isOpen() {
      return rate.isOpen() || fresh.isOpen();
    }
  }

  private final Map<String, Known> known = new HashMap<>();

  /** Who has been big before, and so is not new when it comes back. */
  private final Map<String, Boolean> wasBig =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > 2 * MOST;
        }
      };

  private int busySteps;

  /**
   * @param perSecond of all callers together
   */
  void step(long second, List<BusyCaller> busiest, double perSecond, AnomalyLog journal) {
    boolean warm = busySteps >= WARM_STEPS;
    var present = new HashSet<String>();
    for (var busy : busiest) present.add(busy.caller());
    double unfollowed = unfollowed(busiest);
    for (var busy : busiest) {
      var one = known.get(busy.caller());
      if (one == null) {
        if (known.size() >= MOST && !makeRoom(present)) continue;
        one = new Known(monitor(busy, second, warm, unfollowed));
        known.put(busy.caller(), one);
      }
      one.seen = second;
      one.rate.step(second, busy.perSecond(), true, journal);
      judgeNew(one, busy, second, perSecond, warm, journal);
    }
    for (var entry : known.entrySet()) {
      if (!present.contains(entry.getKey()))
        quiet(entry.getKey(), entry.getValue(), second, journal);
    }
    known.values().removeIf(one -> second - one.seen > FORGET_SECONDS && !one.isOpen());
    if (perSecond >= 1) busySteps++;
  }

  /** Who is not among the busiest asks no more often than the last of them. */
  private static double unfollowed(List<BusyCaller> busiest) {
    return busiest.size() < TopCallers.MOST_BUSY
        ? TopCallers.LEAST_BUSY
        : busiest.getLast().perSecond();
  }

  /** Forgets the one that has been away longest, of those of which nothing is open. */
  private boolean makeRoom(Set<String> present) {
    var away =
        known.entrySet().stream()
            .filter(entry -> !present.contains(entry.getKey()) && !entry.getValue().isOpen())
            .min(Comparator.comparingLong(entry -> entry.getValue().seen));
    away.ifPresent(entry -> known.remove(entry.getKey()));
    return away.isPresent();
  }

  private static RateMonitor monitor(
      BusyCaller busy, long second, boolean warm, double unfollowed) {
    var matter = Matter.ofCaller(Kind.RATE, busy.caller());
    String who = busy.caller() + " asks";
    boolean old = warm && second - busy.since() > WARM_STEPS * Baseline.STEP_SECONDS;
    return old
        ? RateMonitor.quietSoFar(matter, who, RateMonitor.Terms.OF_CALLER, unfollowed)
        : new RateMonitor(matter, who, RateMonitor.Terms.OF_CALLER);
  }

  /** One who has gone quiet: what is open of it ends in time. */
  private static void quiet(String caller, Known one, long second, AnomalyLog journal) {
    if (one.rate.isOpen()) one.rate.step(second, 0, true, journal);
    if (one.fresh.step(false, true)) journal.end(Matter.ofCaller(Kind.NEW_CALLER, caller), second);
  }

  private void judgeNew(
      Known one, BusyCaller busy, long second, double perSecond, boolean warm, AnomalyLog journal) {
    boolean big = busy.perSecond() >= BIG_RATE && busy.perSecond() >= BIG_SHARE * perSecond;
    boolean isNew = second - busy.since() <= NEW_SECONDS && !wasBig.containsKey(busy.caller());
    boolean known = one.fresh.isOpen() && second - one.openedAt > NEW_NO_MORE_SECONDS;
    boolean small = busy.perSecond() < BIG_RATE / 2 || busy.perSecond() < BIG_SHARE / 2 * perSecond;
    boolean turned = one.fresh.step(warm && big && isNew, small || known);
    if (big && (one.fresh.isOpen() || !isNew || !warm)) wasBig.put(busy.caller(), true);
    if (!turned) return;
    var matter = Matter.ofCaller(Kind.NEW_CALLER, busy.caller());
    if (!one.fresh.isOpen()) {
      journal.end(matter, second);
      return;
    }
    one.openedAt = second;
    double share = Math.min(1, busy.perSecond() / Math.max(perSecond, busy.perSecond()));
    journal.open(
        matter,
        share >= 0.5 ? Severity.WARNING : Severity.INFO,
        second,
        busy.perSecond(),
        OptionalDouble.empty(),
        String.format(
            Locale.ROOT,
            "%s came %d s ago and makes %.2g%% of all checks (%.3g/s)",
            busy.caller(),
            second - busy.since(),
            share * 100,
            busy.perSecond()));
  }
}
