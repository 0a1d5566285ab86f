package io.headgate.server.simulation;

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

  private final RuleSimulator before;
  private final RuleSimulator after;
  private final Deadline patience;
  private final Timeline timeline = new Timeline(3);
  private final Map<String, CallerComparison> callers = new HashMap<>();
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

  private Comparison(RuleSimulator before, RuleSimulator after, Deadline patience) {
    this.before = before;
    this.after = after;
    this.patience = patience;
  }

  public static Comparison of(RuleSimulator before, RuleSimulator after, Deadline patience) {
    return new Comparison(before, after, patience);
  }

  /** One set of rules, which is at once as they are and as they would be. */
  public static Comparison alone(RuleSimulator bench) {
    return new Comparison(bench, bench, Deadline.ENDLESS);
  }

  /** The clock does not go back: what comes too late comes now. */
  public void add(Arrival given) {
    patience.check(requests++);
    now = Math.max(now, given.micros());
    if (first < 0) first = now;
    var arrival = given.micros() == now ? given : given.at(now);
    boolean was = before.ask(arrival) == SimulatedDecision.DENIED;
    boolean is = after == before ? was : after.ask(arrival) == SimulatedDecision.DENIED;
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
    String name = CallerId.of(arrival.request().subject());
    var tally = callers.get(name);
    if (tally == null) {
      if (callers.size() == MOST_CALLERS) {
        unlisted++;
        return;
      }
      tally = new CallerComparison(name);
      callers.put(name, tally);
    }
    tally.count(now, was, is);
  }

  public RuleSimulator before() {
    return before;
  }

  public RuleSimulator after() {
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

  public List<CallerComparison> mostChanged(int most) {
    return listed(CallerComparison.MOST_CHANGED_FIRST, most);
  }

  public List<CallerComparison> mostDenied(int most) {
    return listed(CallerComparison.MOST_DENIED_FIRST, most);
  }

  private List<CallerComparison> listed(Comparator<CallerComparison> order, int most) {
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
