package io.headgate;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The permits that open reservations hold, summed up by counter. Not thread-safe while it is being
 * filled.
 */
final class OpenHolds {
  /** Holds of a store whose reservations are not known. */
  static final OpenHolds NONE = new OpenHolds(true);

  private record Ref(String rule, String limit, String key) {}

  private static final class Sum {
    final String id; // of one of the reservations
    long reservations;
    long permits;

    Sum(String id) {
      this.id = id;
    }
  }

  /** A counter, and the id of one of its reservations. */
  record Entry(String id, HeldPermits held) {}

  private final Map<Ref, Sum> sums = new HashMap<>();
  private final boolean complete;

  OpenHolds(boolean complete) {
    this.complete = complete;
  }

  void add(String id, ReservationToken token) {
    for (var charge : token.charges()) {
      var ref = new Ref(charge.rule(), charge.name(), charge.key());
      var sum = sums.computeIfAbsent(ref, same -> new Sum(id));
      sum.reservations++;
      sum.permits += charge.amount();
    }
  }

  /**
   * Returns the permits that are held of a counter; empty if none are.
   *
   * @param limit the counter's id within the rule
   */
  Optional<HeldPermits> of(String rule, String limit, String key) {
    var ref = new Ref(rule, limit, key);
    return Optional.ofNullable(sums.get(ref)).map(sum -> held(ref, sum));
  }

  /** Returns the counters of which most is held, at most {@code max}. */
  List<Entry> largest(Predicate<String> rule, int max) {
    var all = new ArrayList<Entry>();
    sums.forEach((ref, sum) -> {
      if (rule.test(ref.rule)) all.add(new Entry(sum.id, held(ref, sum)));
    });
    all.sort(Comparator.comparingLong((Entry entry) -> -entry.held.permits()));
    return List.copyOf(all.subList(0, Math.min(max, all.size())));
  }

  private HeldPermits held(Ref ref, Sum sum) {
    return new HeldPermits(ref.rule, ref.limit, ref.key, sum.reservations, sum.permits, complete);
  }
}
