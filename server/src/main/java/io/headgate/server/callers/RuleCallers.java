package io.headgate.server.callers;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The callers of one rule in bounded memory: two Space-Saving sketches of {@value #CAPACITY}
 * callers, by checks and by denials, and the {@value #MAX_DENIALS} callers denied last. Names
 * longer than {@value #MAX_NAME_LENGTH} characters are shortened. Not thread-safe.
 */
final class RuleCallers {
  static final int CAPACITY = 50;
  static final int MAX_DENIALS = 20;
  static final int MAX_LISTED = 10;
  static final int MAX_NAME_LENGTH = 256;

  private static final double DECAY = Math.exp(-1.0 / TopCallers.WINDOW_SECONDS);
  private static final double MIN_WEIGHT = 0.5; // less is shown as 0

  private final SpaceSaving checks = new SpaceSaving(CAPACITY);
  private final SpaceSaving denials = new SpaceSaving(CAPACITY);
  private final Map<String, RuleDenial> latest = new LinkedHashMap<>(); // the latest last
  private long now;

  /**
   * @param second the first second
   */
  RuleCallers(long second) {
    this.now = second;
  }

  /** Adds the counts of one caller and one second. */
  void add(String caller, long second, CallerTable.RulePart part) {
    advance(second);
    String name = shortened(caller);
    int decided = part.allowed + part.denied;
    int denied = part.denied + part.shadowDenied;
    if (decided > 0) checks.add(name, decided);
    if (denied == 0) return;
    denials.add(name, denied);
    addLatest(name, second * 1_000, denied, part);
  }

  private void advance(long second) {
    if (second <= now) return;
    double factor = Math.pow(DECAY, (double) second - now);
    checks.decay(factor);
    denials.decay(factor);
    now = second;
  }

  private void addLatest(String name, long millis, int count, CallerTable.RulePart part) {
    var before = Optional.ofNullable(latest.remove(name));
    latest.put(
        name,
        new RuleDenial(
            name,
            Math.min(millis, before.map(RuleDenial::sinceMillis).orElse(millis)),
            Math.max(millis, before.map(RuleDenial::atMillis).orElse(millis)),
            count + before.map(RuleDenial::count).orElse(0L),
            part.denied == 0,
            part.limit,
            part.retryAfterMillis));
    if (latest.size() > MAX_DENIALS) latest.remove(latest.keySet().iterator().next());
  }

  /**
   * Returns a long name with its end replaced by a hash, so that different names stay different.
   */
  private static String shortened(String name) {
    if (name.length() <= MAX_NAME_LENGTH) return name;
    int end = MAX_NAME_LENGTH - 9;
    if (Character.isHighSurrogate(name.charAt(end - 1))) end--;
    return "%s…%08x".formatted(name.substring(0, end), name.hashCode());
  }

  RuleCallerStats stats(long second) {
    advance(second);
    return new RuleCallerStats(
        checks.total(),
        denials.total(),
        top(checks),
        top(denials),
        new ArrayList<>(latest.values()).reversed());
  }

  /** Returns the number of entries of all lists. */
  int size() {
    return checks.entries().size() + denials.entries().size() + latest.size();
  }

  private static List<CallerWeight> top(SpaceSaving sketch) {
    return sketch.entries().stream()
        .filter(entry -> entry.weight() >= MIN_WEIGHT)
        .sorted(
            Comparator.comparingDouble(SpaceSaving.Entry::weight)
                .reversed()
                .thenComparing(SpaceSaving.Entry::name))
        .limit(MAX_LISTED)
        .map(entry -> new CallerWeight(entry.name(), entry.weight(), entry.error()))
        .toList();
  }
}
