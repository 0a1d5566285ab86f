package io.headgate.server.trial;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The same requests under two sets of rules, side by side, each from a fresh state. */
public final class Comparison implements AutoCloseable {
  public static final int OFFERED = 0;
  public static final int DENIED_BEFORE = 1;
  public static final int DENIED_AFTER = 2;

  /** Beyond so many, callers are decided but not listed. */
  static final int MOST_CALLERS = 500_000;

  private static final long SECOND = 1_000_000;

  private final Bench before;
  private final Bench after;
  private final Patience patience;
  private final Timeline timeline = new Timeline(3);
  private final Map<String, CallerTally> callers = new HashMap<>();
  private long now;
  private long first = -1;
  private long requests;
  private long toDenied;
  private long toAllowed;
  private long unlisted;
  private long second;
  private long inSecond;
  private long busiest;
  private long mostInSecond;

  private Comparison(Bench before, Bench after, Patience patience) {
    this.before = before;
    this.after = after;
    this.patience = patience;
  }

  public static Comparison of(Bench before, Bench after, Patience patience) {
    return new Comparison(before, after, patience);
  }

  /** One set of rules, which is at once as they are and as they would be. */
  public static Comparison alone(Bench bench) {
    return new Comparison(bench, bench, Patience.ENDLESS);
  }

  /** The clock does not go back: what comes too late comes now. */
  public void add(Arrival given) {
    patience.check(requests++);
    now = Math.max(now, given.micros());
    if (first < 0) first = now;
    var arrival = given.micros() == now ? given : given.at(now);
    boolean was = before.ask(arrival) == Fate.DENIED;
    boolean is = after == before ? was : after.ask(arrival) == Fate.DENIED;
    if (is && !was) toDenied++;
    if (was && !is) toAllowed++;
    timeline.add(OFFERED, now);
    if (was) timeline.add(DENIED_BEFORE, now);
    if (is) timeline.add(DENIED_AFTER, now);
    countSecond();
    countCaller(arrival, was, is);
  }

  private void countSecond() {
    if (now / SECOND != second) {
      second = now / SECOND;
      inSecond = 0;
    }
    if (++inSecond <= mostInSecond) return;
    mostInSecond = inSecond;
    busiest = second;
  }

  private void countCaller(Arrival arrival, boolean was, boolean is) {
    String name = Caller.of(arrival.request().subject());
    var tally = callers.get(name);
    if (tally == null) {
      if (callers.size() == MOST_CALLERS) {
        unlisted++;
        return;
      }
      tally = new CallerTally(name);
      callers.put(name, tally);
    }
    tally.count(now, was, is);
  }

  public Bench before() {
    return before;
  }

  public Bench after() {
    return after;
  }

  public Timeline timeline() {
    return timeline;
  }

  public long requests() {
    return requests;
  }

  /** The time of the first request, in microseconds; 0 if there was none. */
  public long from() {
    return Math.max(0, first);
  }

  public long to() {
    return now;
  }

  public long changedToDenied() {
    return toDenied;
  }

  public long changedToAllowed() {
    return toAllowed;
  }

  /** The second in which most came, since the epoch. */
  public long busiestSecond() {
    return busiest;
  }

  public long mostInSecond() {
    return mostInSecond;
  }

  public int callers() {
    return callers.size();
  }

  /** How many callers were denied something by the rules as they would be. */
  public long callersDenied() {
    return callers.values().stream().filter(caller -> caller.deniedAfter() > 0).count();
  }

  /** How many requests were of callers beyond those that are listed. */
  public long unlisted() {
    return unlisted;
  }

  public List<CallerTally> mostChanged(int most) {
    return listed(CallerTally.MOST_CHANGED_FIRST, most);
  }

  public List<CallerTally> mostDenied(int most) {
    return listed(CallerTally.MOST_DENIED_FIRST, most);
  }

  private List<CallerTally> listed(Comparator<CallerTally> order, int most) {
    return callers.values().stream()
        .filter(caller -> caller.deniedBefore() > 0 || caller.deniedAfter() > 0)
        .sorted(order)
        .limit(most)
        .toList();
  }

  @Override
  public void close() {
    before.close();
    after.close();
  }
}
