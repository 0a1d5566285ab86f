package io.headgate.server.simulation;

import io.headgate.server.callers.CallerNaming;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Simulates the same requests under two rule sets, each from a fresh state. Not thread-safe. */
public final class Comparison implements AutoCloseable {
  /** Series of {@link #timeline}: all requests. */
  public static final int OFFERED = 0;

  /** Series of {@link #timeline}: denied under the current rules. */
  public static final int DENIED_BEFORE = 1;

  /** Series of {@link #timeline}: denied under the proposed rules. */
  public static final int DENIED_AFTER = 2;

  /** Maximum number of callers listed. Requests of further callers are decided but not listed. */
  static final int MAX_CALLERS = 500_000;

  private static final long SECOND = 1_000_000;

  private final RuleSimulator before;
  private final RuleSimulator after;
  private final Deadline deadline;
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
  private long busiestSecond;
  private long peakPerSecond;

  private Comparison(RuleSimulator before, RuleSimulator after, Deadline deadline) {
    this.before = before;
    this.after = after;
    this.deadline = deadline;
  }

  /**
   * Compares the current rules with proposed ones.
   *
   * @param deadline when {@link #add} gives up
   */
  public static Comparison of(RuleSimulator before, RuleSimulator after, Deadline deadline) {
    return new Comparison(before, after, deadline);
  }

  /** Simulates one rule set, which serves as both the current and the proposed one. */
  public static Comparison single(RuleSimulator simulator) {
    return new Comparison(simulator, simulator, Deadline.NEVER);
  }

  /**
   * Decides a request under both rule sets. Time never goes back: a request with an earlier time is
   * decided at the current time.
   *
   * @throws Deadline.Overdue if the deadline has passed
   */
  public void add(Arrival arrival) {
    deadline.check(requests++);
    now = Math.max(now, arrival.micros());
    if (first < 0) first = now;
    var request = arrival.micros() == now ? arrival : arrival.at(now);
    boolean was = before.check(request) == SimulatedDecision.DENIED;
    boolean is = after == before ? was : after.check(request) == SimulatedDecision.DENIED;
    if (is && !was) toDenied++;
    if (was && !is) toAllowed++;
    timeline.add(OFFERED, now);
    if (was) timeline.add(DENIED_BEFORE, now);
    if (is) timeline.add(DENIED_AFTER, now);
    countSecond();
    countCaller(request, was, is);
  }

  private void countSecond() {
    if (now / SECOND != second) {
      second = now / SECOND;
      inSecond = 0;
    }
    if (++inSecond <= peakPerSecond) return;
    peakPerSecond = inSecond;
    busiestSecond = second;
  }

  private void countCaller(Arrival arrival, boolean was, boolean is) {
    String name = CallerNaming.DEFAULT.nameOrText(arrival.request().subject());
    var caller = callers.get(name);
    if (caller == null) {
      if (callers.size() == MAX_CALLERS) {
        unlisted++;
        return;
      }
      caller = new CallerComparison(name);
      callers.put(name, caller);
    }
    caller.count(now, was, is);
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

  /** Returns the time of the first request in microseconds, or 0 if there was none. */
  public long from() {
    return Math.max(0, first);
  }

  /** Returns the time of the last request, in microseconds. */
  public long to() {
    return now;
  }

  /** Returns the number of requests allowed before and denied after. */
  public long changedToDenied() {
    return toDenied;
  }

  /** Returns the number of requests denied before and allowed after. */
  public long changedToAllowed() {
    return toAllowed;
  }

  /** Returns the second with the most requests, since the epoch. */
  public long busiestSecond() {
    return busiestSecond;
  }

  /** Returns the number of requests in the busiest second. */
  public long peakPerSecond() {
    return peakPerSecond;
  }

  /** Returns the number of listed callers. */
  public int callers() {
    return callers.size();
  }

  /** Returns the number of callers with at least one denial under the proposed rules. */
  public long callersDenied() {
    return callers.values().stream().filter(caller -> caller.deniedAfter() > 0).count();
  }

  /** Returns the number of requests of callers that are not listed. */
  public long unlisted() {
    return unlisted;
  }

  /** Returns callers with denials, those with the largest change first. */
  public List<CallerComparison> mostChanged(int limit) {
    return listed(CallerComparison.MOST_CHANGED_FIRST, limit);
  }

  /** Returns callers with denials, those with the most denials under the proposed rules first. */
  public List<CallerComparison> mostDenied(int limit) {
    return listed(CallerComparison.MOST_DENIED_FIRST, limit);
  }

  private List<CallerComparison> listed(Comparator<CallerComparison> order, int limit) {
    return callers.values().stream()
        .filter(caller -> caller.deniedBefore() > 0 || caller.deniedAfter() > 0)
        .sorted(order)
        .limit(limit)
        .toList();
  }

  @Override
  public void close() {
    before.close();
    after.close();
  }
}
