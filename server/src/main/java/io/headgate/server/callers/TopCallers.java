package io.headgate.server.callers;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who asks most and who is denied most, in bounded memory: two lists, since one who is denied a
 * little must not be lost among the many who are allowed a lot. What is old counts for less: a
 * check counts 1/e after {@link #WINDOW_SECONDS}, so that a steady caller weighs what it asks in
 * that time.
 *
 * <p>Not for several threads at once.
 */
public final class TopCallers {
  public static final int MOST = 1_000;
  static final int WINDOW_SECONDS = 600;

  /** Who asks less often than this is nothing that anybody need look at. */
  public static final double LEAST_BUSY = 0.5;

  public static final int MOST_BUSY = 100;

  private static final double FADE = Math.exp(-1.0 / WINDOW_SECONDS);

  private final SpaceSaving allowed;
  private final SpaceSaving denied;
  private final Map<String, CallerEntry> callers = new HashMap<>();
  private long now;

  public TopCallers(int most, long second) {
    this.allowed = new SpaceSaving(most);
    this.denied = new SpaceSaving(most);
    this.now = second;
  }

  /** Lets time pass up to this second. */
  public void advance(long second) {
    if (second <= now) return;
    double factor = Math.pow(FADE, (double) second - now);
    allowed.fade(factor);
    denied.fade(factor);
    now = second;
  }

  public void add(CallerTable table) {
    for (var seen : table.all()) {
      add(CallerNaming.nameOf(seen.attribute, seen.subject), table.second, seen);
    }
  }

  private void add(String name, long second, CallerTable.Seen seen) {
    var caller = callers.computeIfAbsent(name, n -> new CallerEntry(n, seen.subject, second));
    String kept = caller.name(); // one text for all, since it may be long
    if (seen.allowed > 0) allowed.add(kept, seen.allowed).ifPresent(gone -> drop(gone, denied));
    if (seen.denied > 0) denied.add(kept, seen.denied).ifPresent(gone -> drop(gone, allowed));
    caller.add(second, seen, allowed.isFull() || denied.isFull());
  }

  private void drop(String name, SpaceSaving other) {
    if (!other.has(name)) callers.remove(name);
  }

  /** Those that ask most right now, the busiest first. */
  public List<BusyCaller> busiest() {
    var all = new ArrayList<BusyCaller>(callers.size());
    callers.forEach((name, caller) -> {
      double rate = caller.perSecond(now);
      if (rate >= LEAST_BUSY) all.add(new BusyCaller(name, rate, caller.since()));
    });
    all.sort(Comparator.comparingDouble(BusyCaller::perSecond).reversed());
    return List.copyOf(all.subList(0, Math.min(MOST_BUSY, all.size())));
  }

  public int tracked() {
    return callers.size();
  }

  /** Of one who is not listed, no more can have been allowed and denied than this. */
  public double floor() {
    return allowed.floor() + denied.floor();
  }

  /** The weight of all there were. */
  public double total() {
    return allowed.total() + denied.total();
  }

  public List<CallerStats> list() {
    var list = new ArrayList<CallerStats>(callers.size());
    callers.forEach((name, caller) -> list.add(figures(name, caller)));
    return list;
  }

  Optional<CallerStats> find(String name) {
    return Optional.ofNullable(callers.get(name)).map(caller -> figures(name, caller));
  }

  public Optional<CallerSeries> series(String name) {
    return Optional.ofNullable(callers.get(name)).map(caller -> caller.series(now));
  }

  /** In one list only: up to the other's floor may have been missed there, so that is counted. */
  private CallerStats figures(String name, CallerEntry caller) {
    var yes = allowed.find(name);
    var no = denied.find(name);
    double error =
        yes.map(SpaceSaving.Entry::error).orElseGet(allowed::floor)
            + no.map(SpaceSaving.Entry::error).orElseGet(denied::floor);
    return new CallerStats(
        name,
        caller.subject().attributes(),
        yes.map(SpaceSaving.Entry::weight).orElseGet(allowed::floor),
        no.map(SpaceSaving.Entry::weight).orElseGet(denied::floor),
        caller.perSecond(now),
        caller.deniedPerSecond(now),
        caller.burstRatio(now),
        caller.since() * 1_000,
        caller.last() * 1_000,
        error,
        caller.rules());
  }
}
