package io.headgate.server.check;

import io.headgate.Costs;
import io.headgate.ReservedLimit;
import io.headgate.rule.Request;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/**
 * Computes the amounts of a reservation by cost, as every protocol reports them. Several limits may
 * spend one cost; the smallest amount of them is reported. Limits without a named cost spend {@link
 * #PLAIN}.
 */
public final class ReservationAmounts {
  /** The name of the cost that limits without a named cost spend. */
  public static final String PLAIN = Request.PLAIN_COST;

  private ReservationAmounts() {}

  /** Returns the permits that are charged now: the granted estimate or the real cost. */
  public static SortedMap<String, Long> charged(List<ReservedLimit> limits) {
    return smallest(limits, ReservedLimit::charged);
  }

  /** Returns the estimates of a new reservation before they were reduced. */
  public static SortedMap<String, Long> requested(List<ReservedLimit> limits) {
    return smallest(limits, ReservedLimit::requested);
  }

  /** Returns the permits of an open reservation that are not used yet. */
  public static SortedMap<String, Long> unused(List<ReservedLimit> limits, Costs used) {
    return smallest(
        limits, limit -> Math.max(0, limit.charged() - used.spentBy(limit.cost()).orElse(0)));
  }

  /** Returns the permits of a settled reservation that were not charged in the end. */
  public static SortedMap<String, Long> returned(List<ReservedLimit> limits) {
    return smallest(limits, limit -> Math.max(0, limit.requested() - limit.charged()));
  }

  /** Returns the reported costs that no limit of a reservation spends. */
  public static List<String> unspent(List<ReservedLimit> limits, Costs reported) {
    var names = new TreeSet<>(reported.named().keySet());
    if (reported.plain().isPresent()) names.add(PLAIN);
    for (var limit : limits) names.remove(limit.cost().orElse(PLAIN));
    return List.copyOf(names);
  }

  private static SortedMap<String, Long> smallest(
      List<ReservedLimit> limits, ToLongFunction<ReservedLimit> amount) {
    var amounts = new TreeMap<String, Long>();
    for (var limit : limits) {
      amounts.merge(limit.cost().orElse(PLAIN), amount.applyAsLong(limit), Math::min);
    }
    return amounts;
  }
}
