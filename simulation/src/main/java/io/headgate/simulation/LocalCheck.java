package io.headgate.simulation;

import io.headgate.limit.Limit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The bounds of policy local for one fixed window L and N instances, in a run that is part of one
 * window.
 *
 * <p>In all at most L, and N shares of max(1, ⌊L/N⌋). If the server is down first, for once, and
 * local admissions are reported before it is used again, at most the larger of the two; except for
 * admissions whose call had no answer, which are never reported.
 */
final class LocalCheck implements Check {
  private static final class Counts {
    final Limit limit;
    long admitted;
    long unanswered;

    Counts(Limit limit) {
      this.limit = limit;
    }
  }

  private final Map<String, Counts> counters = new LinkedHashMap<>();
  private final Map<Event.Ask, Long> sent = new HashMap<>(); // with a closed circuit breaker

  @Override
  public void offered(World world, World.Offer offer) {
    if (world.node(offer.request().node()).store().isUnavailable()) return;
    sent.put(offer.request(), world.now());
  }

  @Override
  public void decided(World world, Decision decision) {
    var charge = decision.plan().charges().getFirst();
    var counts = counters.computeIfAbsent(charge.key(), key -> new Counts(charge.limit()));
    if (!decision.isAllowed()) return;
    counts.admitted += charge.cost();
    boolean unanswered =
        decision.isFallback() && sent.getOrDefault(decision.request(), world.now()) < world.now();
    if (unanswered) counts.unanswered += charge.cost();
  }

  @Override
  public void ended(World world) {
    boolean outageFirst = isOutageFirst(world.script());
    counters.forEach((key, counts) -> {
      long whole = counts.limit.capacity();
      long shares = world.instances() * Math.max(1, whole / world.instances());
      long most = outageFirst ? Math.max(whole, shares) + counts.unanswered : whole + shares;
      if (counts.admitted > most) {
        world.fail(
            "%s: admitted %d of %s in one window with %d instances, where %d are the most"
                .formatted(key, counts.admitted, counts.limit, world.instances(), most));
      }
    });
  }

  /** Whether the only outage begins before all requests, and none is made soon after its end. */
  private static boolean isOutageFirst(Script script) {
    var outages =
        script.events().stream()
            .filter(Event.Outage.class::isInstance)
            .map(Event.Outage.class::cast)
            .toList();
    if (outages.size() != 1 || outages.getFirst().at() > 0) return false;
    long end = outages.getFirst().lasts();
    return script.events().stream()
        .noneMatch(event ->
            event instanceof Event.Ask
                && event.at() >= end
                && event.at() < end + LocalScenario.SETTLED);
  }
}
