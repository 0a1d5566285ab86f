package io.headgate.server.callers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * Merges the lists of several instances. Each instance counts the checks it served, so the weight
 * of a caller is the sum. A caller missing from a list may have up to that list's floor there,
 * which the merged floor accounts for: the true weight is between weight − error and weight +
 * floor.
 */
public final class CallerMerge {
  private static final int MAX_RULES = 8;

  /** Returns the merged list. */
  public static CallerList of(List<CallerList> lists) {
    Map<String, CallerStats> merged = new LinkedHashMap<>();
    long at = 0;
    int tracked = 0;
    double floor = 0;
    double total = 0;
    for (var list : lists) {
      at = Math.max(at, list.atMillis());
      tracked = Math.max(tracked, list.tracked());
      floor += list.floor();
      total += list.total();
      for (var caller : list.callers()) {
        merged.merge(caller.caller(), caller, CallerMerge::sum);
      }
    }
    return new CallerList(
        at,
        lists.size(),
        Math.max(tracked, merged.size()),
        floor,
        total,
        new ArrayList<>(merged.values()));
  }

  private static CallerStats sum(CallerStats one, CallerStats other) {
    boolean first = one.lastMillis() >= other.lastMillis();
    var later = first ? one : other;
    var busier = one.perSecond() >= other.perSecond() ? one : other;
    var rules = new LinkedHashSet<>(later.rules());
    rules.addAll(first ? other.rules() : one.rules());
    return new CallerStats(
        one.caller(),
        later.subject(),
        one.allowed() + other.allowed(),
        one.denied() + other.denied(),
        one.perSecond() + other.perSecond(),
        one.deniedPerSecond() + other.deniedPerSecond(),
        busier.burstRatio(),
        Math.min(one.sinceMillis(), other.sinceMillis()),
        later.lastMillis(),
        one.error() + other.error(),
        rules.stream().limit(MAX_RULES).toList());
  }

  private CallerMerge() {}
}
