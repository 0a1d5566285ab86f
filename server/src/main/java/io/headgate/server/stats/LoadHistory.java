package io.headgate.server.stats;

import io.headgate.limit.TokenBucket;
import io.headgate.limit.Tuning;
import io.headgate.load.ShedController;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.server.stats.LoadEvent.Cause;
import io.headgate.server.stats.LoadEvent.Change;
import io.headgate.store.BackendLevel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Supplier;

/**
 * The recent levels and rates of rules that follow the load of backends on this instance: a series
 * for each backend, and the latest events. Bounded: {@link #MAX_BACKENDS} series of {@link
 * #MAX_POINTS} and {@link #MAX_EVENTS} events. Thread-safe.
 */
public final class LoadHistory {
  /** The time between two points of a series. */
  public static final int STEP_MILLIS = 5_000;

  /** The length of a series, 20 minutes. */
  public static final int MAX_POINTS = 240;

  /** The number of events that are kept. */
  public static final int MAX_EVENTS = 100;

  /** The number of backends with a series; further ones have none. */
  static final int MAX_BACKENDS = 64;

  private static final int MAX_KNOWN = 1_024;

  private final Supplier<RuleSet> rules;
  private final Deque<LoadEvent> events = new ArrayDeque<>(); // the newest first
  private final Map<Backend, Deque<Point>> series = new LinkedHashMap<>();
  private final SequencedMap<Backend, Double> known = new LinkedHashMap<>();

  private record Backend(String rule, String backend) {}

  /**
   * The state at one moment.
   *
   * @param value the rate per second, or the share of the requests that is dropped
   * @param signal the figure of the backend; empty if it did not report
   */
  public record Point(long atMillis, double value, Optional<Double> signal) {}

  /**
   * The points of one backend, the oldest first.
   *
   * @param backend the values of the rule's {@code per} attributes
   */
  public record Series(String backend, List<Point> points) {}

  /**
   * @param rules supplies the rules in force
   */
  public LoadHistory(Supplier<RuleSet> rules) {
    this.rules = rules;
  }

  /** Adds an event for a level that has changed. */
  public synchronized void changed(long nowMillis, BackendLevel level) {
    var backend = new Backend(level.rule(), level.backend());
    var rule = rule(level.rule());
    double after = valueOf(level);
    double before = known.getOrDefault(backend, initial(level, rule));
    known.remove(backend); // so that the order is that of changes
    known.put(backend, after);
    if (known.size() > MAX_KNOWN) known.pollFirstEntry();
    events.addFirst(
        new LoadEvent(
            nowMillis,
            level.rule(),
            level.backend(),
            level.tuned().isPresent() ? Change.RATE : Change.SHEDDING,
            before,
            after,
            level.kind(),
            level.value(),
            level.target(),
            cause(level, rule),
            rule.map(Rule::mode).equals(Optional.of(Mode.SHADOW))));
    if (events.size() > MAX_EVENTS) events.removeLast();
  }

  private Optional<Rule> rule(String id) {
    return rules.get().rules().stream().filter(rule -> rule.id().equals(id)).findFirst();
  }

  /** Returns the value without a signal: the rate of the rule, or no drop. */
  private static double initial(BackendLevel level, Optional<Rule> rule) {
    if (level.tuned().isEmpty()) return 0;
    return rule.stream()
        .flatMap(each -> each.limits().stream())
        .filter(limit -> limit.tuning().isPresent())
        .map(RuleLimit::limit)
        .mapToDouble(limit -> limit instanceof TokenBucket own ? Tuning.perSecond(own.rate()) : 0)
        .findFirst()
        .orElse(0);
  }

  private static Cause cause(BackendLevel level, Optional<Rule> rule) {
    boolean isPinned =
        level.tuned().isPresent()
            && rule.stream()
                .flatMap(each -> each.limits().stream())
                .flatMap(limit -> limit.tuning().stream())
                .anyMatch(tuning -> tuning.pin().isPresent());
    if (isPinned) return Cause.PINNED;
    var hold = Duration.ofNanos(1_000 * ShedController.HOLD_MICROS);
    if (level.age().isEmpty() || level.age().get().compareTo(hold) > 0) return Cause.NO_REPORTS;
    return level.value() > level.target() ? Cause.ABOVE_TARGET : Cause.BELOW_TARGET;
  }

  /** Adds a point for each level, if the last ones are {@link #STEP_MILLIS} old. */
  public synchronized void sample(long nowMillis, List<BackendLevel> levels) {
    for (var level : levels) {
      var backend = new Backend(level.rule(), level.backend());
      var points = series.get(backend);
      if (points == null) {
        if (series.size() >= MAX_BACKENDS) continue;
        points = new ArrayDeque<>();
        series.put(backend, points);
      }
      var last = points.peekLast();
      if (last != null && nowMillis - last.atMillis < STEP_MILLIS) continue;
      Optional<Double> signal = level.age().map(age -> level.value());
      points.addLast(new Point(nowMillis, valueOf(level), signal));
      if (points.size() > MAX_POINTS) points.removeFirst();
    }
    long oldest = nowMillis - (long) MAX_POINTS * STEP_MILLIS;
    series.values().removeIf(points -> points.isEmpty() || points.getLast().atMillis < oldest);
  }

  /** Returns the events, the newest first. */
  public synchronized List<LoadEvent> events() {
    return List.copyOf(events);
  }

  /** Returns the series of a rule's backends. */
  public synchronized List<Series> series(String rule) {
    var found = new ArrayList<Series>();
    series.forEach((backend, points) -> {
      if (backend.rule.equals(rule)) found.add(new Series(backend.backend, List.copyOf(points)));
    });
    return found;
  }

  private static double valueOf(BackendLevel level) {
    return level.tuned().map(bucket -> Tuning.perSecond(bucket.rate())).orElse(level.level());
  }
}
