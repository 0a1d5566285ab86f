package io.headgate.simulation;

import io.headgate.limit.Limit;
import io.headgate.store.Source;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Checks the bounds of failure policy local for a fixed window of L permits and N instances. The
 * run lies within one window.
 *
 * <p>The total is at most L plus N shares of max(1, ⌊L/N⌋). If the only outage comes first, and
 * local admissions are reported before the server is used again, the total is at most the larger of
 * the two. Admissions whose command had no reply are never reported and come on top. So do the late
 * checks at the begin of an outage, which the last answers decide.
 */
final class LocalCheck implements Check {
  private static final class Counts {
    final Limit limit;
    long admitted;
    long unanswered;
    long late;

    Counts(Limit limit) {
      this.limit = limit;
    }
  }

  private final Map<String, Counts> counters = new LinkedHashMap<>();

  /** The times of requests that were sent while the circuit breaker was closed. */
  private final Map<Event.Arrival, Long> sent = new HashMap<>();

  @Override
  public void offered(World world, World.Offer offer) {
    if (world.node(offer.request().node()).store().isUnavailable()) return;
    sent.put(offer.request(), world.now());
  }

  @Override
  public void decided(World world, TimedDecision decision) {
    var charge = decision.plan().charges().getFirst();
    var counts = counters.computeIfAbsent(charge.key(), key -> new Counts(charge.limit()));
    if (!decision.isAllowed()) return;
    counts.admitted += charge.cost();
    boolean unanswered =
        decision.isFallback() && sent.getOrDefault(decision.request(), world.now()) < world.now();
    if (unanswered) counts.unanswered += charge.cost();
    if (decision.result().source() == Source.CACHE) counts.late += charge.cost();
  }

  @Override
  public void ended(World world) {
    boolean outageFirst = isOutageFirst(world.script());
    counters.forEach((key, counts) -> {
      long whole = counts.limit.capacity();
      long shares = world.instances() * Math.max(1, whole / world.instances());
      long max = outageFirst ? Math.max(whole, shares) + counts.unanswered : whole + shares;
      max += counts.late;
      if (counts.admitted > max) {
        world.fail(
            "%s: admitted %d of %s in one window with %d instances; at most %d are permitted"
                .formatted(key, counts.admitted, counts.limit, world.instances(), max));
      }
    });
  }

  /** Returns whether the only outage begins before all requests, and none follows soon after it. */
  private static boolean isOutageFirst(RunScript script) {
    var outages =
        script.events().stream()
            .filter(Event.Outage.class::isInstance)
            .map(Event.Outage.class::cast)
            .toList();
    if (outages.size() != 1 || outages.getFirst().at() > 0) return false;
    long end = outages.getFirst().lasts();
    return script.events().stream()
        .noneMatch(event ->
            event instanceof Event.Arrival
                && event.at() >= end
                && event.at() < end + LocalScenario.SETTLE_TIME);
  }
}
