package io.headgate.server.callers;

import io.headgate.rule.Subject;
import io.headgate.server.counts.SecondRing;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** What is known of one caller beside its weight. */
final class CallerEntry {
  /** Of its attributes no more characters are kept; any one of them fits. */
  static final int MOST_KEPT = Subject.LONGEST_NAME + Subject.LONGEST_VALUE;

  private static final int MOST_RULES = 8;
  private static final double RATE_SECONDS = 10;
  private static final double FADE = Math.exp(-1 / RATE_SECONDS);

  private final String name;
  private final long since;
  private List<String> deniers = List.of(); // the latest first
  private List<String> deciders = List.of();
  private Subject subject;
  private long last;
  private double allowed; // both fading from second to second, as of rateAt
  private double denied;
  private long rateAt;
  private @Nullable History history;
  private boolean seenBefore;

  CallerEntry(String name, Subject subject, long second) {
    this.name = name;
    this.subject = subject;
    this.since = second;
    this.last = second;
    this.rateAt = second;
  }

  /**
   * @param crowded whether callers come and go: then only who comes again is worth a history
   */
  void add(long second, CallerTable.Seen seen, boolean crowded) {
    fadeTo(second);
    allowed += seen.allowed;
    denied += seen.denied;
    last = Math.max(last, second);
    subject = kept(seen);
    deniers = noted(deniers, seen.denier);
    deciders = noted(deciders, seen.decider);
    if (history == null && (seenBefore || !crowded)) history = new History(second);
    seenBefore = true;
    if (history != null) history.add(second, seen.allowed, seen.denied);
  }

  /**
   * All that it was asked with or, if that is too long, what names it and of the rest what fits.
   */
  private static Subject kept(CallerTable.Seen seen) {
    var all = seen.subject.attributes();
    int length = 0;
    for (var one : all.entrySet()) length += length(one);
    if (length <= MOST_KEPT) return seen.subject;
    var some = new LinkedHashMap<String, String>();
    int room = MOST_KEPT;
    for (var one : all.entrySet()) {
      if (one.getKey().equals(seen.attribute)) room -= length(one);
    }
    for (var one : all.entrySet()) {
      boolean names = one.getKey().equals(seen.attribute);
      if (!names && length(one) > room) continue;
      some.put(one.getKey(), one.getValue());
      if (!names) room -= length(one);
    }
    return Subject.of(some);
  }

  private static int length(Map.Entry<String, String> attribute) {
    return attribute.getKey().length() + attribute.getValue().length();
  }

  /** Most often it is the one that it was before, or the first: then nothing is made. */
  private static List<String> noted(List<String> rules, String rule) {
    if (rule.isEmpty() || (!rules.isEmpty() && rules.getFirst().equals(rule))) return rules;
    if (rules.isEmpty()) return List.of(rule);
    var more = new ArrayList<String>();
    more.add(rule);
    for (var known : rules) {
      if (!known.equals(rule) && more.size() < MOST_RULES) more.add(known);
    }
    return List.copyOf(more);
  }

  private void fadeTo(long second) {
    if (second <= rateAt) return;
    double factor = Math.pow(FADE, (double) second - rateAt);
    allowed *= factor;
    denied *= factor;
    rateAt = second;
  }

  /** Right from the first second for one who asks steadily. */
  private double rate(double faded, long second) {
    long age = Math.max(1, second - since + 1);
    return faded * (1 - FADE) / (1 - Math.pow(FADE, (double) age));
  }

  double perSecond(long second) {
    fadeTo(second);
    return rate(allowed + denied, second);
  }

  double deniedPerSecond(long second) {
    fadeTo(second);
    return rate(denied, second);
  }

  OptionalDouble burstRatio(long second) {
    return history == null ? OptionalDouble.empty() : history.burstRatio(since, second);
  }

  String name() {
    return name;
  }

  Subject subject() {
    return subject;
  }

  long since() {
    return since;
  }

  long last() {
    return last;
  }

  List<String> rules() {
    return deniers.isEmpty() ? deciders : deniers;
  }

  CallerSeries series(long second) {
    return history == null ? CallerSeries.none(second) : history.series(second);
  }

  /** Each second of the last while. */
  private static final class History {
    private final int[] allowed = new int[SecondRing.SECONDS];
    private final int[] denied = new int[SecondRing.SECONDS];
    private long newest;

    History(long second) {
      this.newest = second;
    }

    void add(long second, int yes, int no) {
      advance(second);
      if (newest - second >= SecondRing.SECONDS) return;
      allowed[place(second)] += yes;
      denied[place(second)] += no;
    }

    private void advance(long second) {
      if (second - newest >= SecondRing.SECONDS) newest = second - SecondRing.SECONDS;
      while (newest < second) {
        newest++;
        allowed[place(newest)] = 0;
        denied[place(newest)] = 0;
      }
    }

    OptionalDouble burstRatio(long since, long second) {
      advance(second);
      long seconds = Math.clamp(second - since + 1, 1, SecondRing.SECONDS);
      long sum = 0;
      int peak = 0;
      for (int i = 0; i < SecondRing.SECONDS; i++) {
        int count = allowed[i] + denied[i];
        sum += count;
        peak = Math.max(peak, count);
      }
      return sum == 0 ? OptionalDouble.empty() : OptionalDouble.of(peak * (double) seconds / sum);
    }

    CallerSeries series(long second) {
      advance(second);
      var yes = new int[SecondRing.SECONDS];
      var no = new int[SecondRing.SECONDS];
      long from = newest - SecondRing.SECONDS + 1;
      for (int i = 0; i < SecondRing.SECONDS; i++) {
        yes[i] = allowed[place(from + i)];
        no[i] = denied[place(from + i)];
      }
      return new CallerSeries(from, yes, no);
    }

    private static int place(long second) {
      return (int) Math.floorMod(second, (long) SecondRing.SECONDS);
    }
  }
}
