package io.headgate.server.callers;

import io.headgate.rule.Subject;
import io.headgate.server.counts.BucketRing;
import io.headgate.server.counts.Resolution;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** State of one tracked caller besides its weight. */
final class CallerEntry {
  /** Maximum number of characters of the attributes that are kept. Any single attribute fits. */
  static final int MAX_SUBJECT_LENGTH = Subject.MAX_NAME_LENGTH + Subject.MAX_VALUE_LENGTH;

  private static final int MAX_RULES = 8;
  private static final double RATE_SECONDS = 10;
  private static final double DECAY = Math.exp(-1 / RATE_SECONDS);
  private static final int ALLOWED = 0;
  private static final int DENIED = 1;

  private final String name;
  private final long since;
  private List<String> deniers = List.of(); // most recent first
  private List<String> deciders = List.of();
  private Subject subject;
  private long last;
  private double allowed; // both decay exponentially, as of rateAt
  private double denied;
  private long rateAt;
  private @Nullable BucketRing history; // the columns ALLOWED and DENIED
  private boolean seenBefore;

  CallerEntry(String name, Subject subject, long second) {
    this.name = name;
    this.subject = subject;
    this.since = second;
    this.last = second;
    this.rateAt = second;
  }

  /**
   * Adds the counts of one second.
   *
   * @param full whether the table of callers is full; then only a caller seen before gets a history
   */
  void add(long second, CallerTable.Seen seen, boolean full) {
    decayTo(second);
    int newAllowed = seen.allAllowed();
    int newDenied = seen.allDenied();
    allowed += newAllowed;
    denied += newDenied;
    last = Math.max(last, second);
    subject = bounded(seen);
    for (CallerTable.RulePart part = seen; part != null; part = part.next) {
      if (part.denied > 0) deniers = moveToFront(deniers, part.rule);
      if (part.allowed > 0) deciders = moveToFront(deciders, part.rule);
    }
    if (history == null && (seenBefore || !full))
      history = new BucketRing(Resolution.SECONDS, second, 2);
    seenBefore = true;
    if (history == null) return;
    history.add(second, ALLOWED, newAllowed);
    history.add(second, DENIED, newDenied);
  }

  /**
   * Returns the whole subject or, if it is too long, the naming attribute and as many others as
   * fit.
   */
  private static Subject bounded(CallerTable.Seen seen) {
    var all = seen.subject.attributes();
    int length = 0;
    for (var attribute : all.entrySet()) length += length(attribute);
    if (length <= MAX_SUBJECT_LENGTH) return seen.subject;
    var selected = new LinkedHashMap<String, String>();
    int room = MAX_SUBJECT_LENGTH;
    for (var attribute : all.entrySet()) {
      if (attribute.getKey().equals(seen.attribute)) room -= length(attribute);
    }
    for (var attribute : all.entrySet()) {
      boolean names = attribute.getKey().equals(seen.attribute);
      if (!names && length(attribute) > room) continue;
      selected.put(attribute.getKey(), attribute.getValue());
      if (!names) room -= length(attribute);
    }
    return Subject.of(selected);
  }

  private static int length(Map.Entry<String, String> attribute) {
    return attribute.getKey().length() + attribute.getValue().length();
  }

  /**
   * Returns the list with the rule moved to the front. Usually it is there already, and nothing is
   * allocated.
   */
  private static List<String> moveToFront(List<String> rules, String rule) {
    if (rule.isEmpty() || (!rules.isEmpty() && rules.getFirst().equals(rule))) return rules;
    if (rules.isEmpty()) return List.of(rule);
    var moved = new ArrayList<String>();
    moved.add(rule);
    for (var other : rules) {
      if (!other.equals(rule) && moved.size() < MAX_RULES) moved.add(other);
    }
    return List.copyOf(moved);
  }

  private void decayTo(long second) {
    if (second <= rateAt) return;
    double factor = Math.pow(DECAY, (double) second - rateAt);
    allowed *= factor;
    denied *= factor;
    rateAt = second;
  }

  /**
   * Corrects the decayed sum for the age of the caller, so that a steady rate is right from the
   * first second.
   */
  private double rate(double decayed, long second) {
    long age = Math.max(1, second - since + 1);
    return decayed * (1 - DECAY) / (1 - Math.pow(DECAY, (double) age));
  }

  double perSecond(long second) {
    decayTo(second);
    return rate(allowed + denied, second);
  }

  double deniedPerSecond(long second) {
    decayTo(second);
    return rate(denied, second);
  }

  OptionalDouble burstRatio(long second) {
    if (history == null) return OptionalDouble.empty();
    history.advance(second);
    long total = history.total();
    if (total == 0) return OptionalDouble.empty();
    long seconds = Math.clamp(second - since + 1, 1, BucketRing.SECONDS);
    return OptionalDouble.of(history.peak() * (double) seconds / total);
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
    if (history == null) return CallerSeries.empty(second);
    history.advance(second);
    return new CallerSeries(
        history.newest() - BucketRing.SECONDS + 1, history.series(ALLOWED), history.series(DENIED));
  }
}
