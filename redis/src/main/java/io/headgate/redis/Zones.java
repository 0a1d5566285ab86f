package io.headgate.redis;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Answer;
import io.headgate.store.MemoryStore;
import io.headgate.store.OutageListener;
import io.headgate.store.OutageStore;
import io.headgate.store.Reporter;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import io.headgate.store.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;

/**
 * Parts of the key space that can be away by themselves.
 *
 * <p>When one primary of a cluster dies, the slots of the others go on being decided by them. Who
 * has which slot changes, so a zone is a range of slots rather than a server: small enough that few
 * zones have slots of two servers. A single server is one zone.
 */
final class Zones implements Store {
  private static final int SLOTS = 16_384;
  private static final RuleSet PROBES =
      RuleSet.of(
          Rule.named("headgate-probe")
              .match("key", "*")
              .limit(new TokenBucket(Rate.perSecond(1_000_000)))
              .build());

  private final List<OutageStore> zones = new ArrayList<>();
  private final ToIntFunction<String> laneOf;

  /** Without a server that could be charged for what was admitted without it. */
  Zones(
      int count,
      Store shared,
      Consumer<Plan> probe,
      ToIntFunction<String> laneOf,
      IntSupplier instances,
      OutageListener listener) {
    this(count, shared, probe, Reporter.NONE, laneOf, instances, listener);
  }

  /**
   * @param shared what all zones ask; closed with each of them
   * @param probe asks a plan of the server itself
   * @param reporter charges the server for what was admitted without it
   * @param laneOf the slot of a counter's key
   */
  Zones(
      int count,
      Store shared,
      Consumer<Plan> probe,
      Reporter reporter,
      ToIntFunction<String> laneOf,
      IntSupplier instances,
      OutageListener listener) {
    this.laneOf = laneOf;
    var together = new Together(listener);
    for (int zone = 0; zone < count; zone++) {
      var plan = probeOf(zone, count);
      zones.add(
          OutageStore.before(
              shared,
              () -> probe.accept(plan),
              instances,
              together,
              Ticker.system(),
              MemoryStore.DEFAULT_MOST_KEYS / count,
              reporter));
    }
  }

  /** A decision like any other, so that whatever keeps Redis from deciding keeps this from it. */
  private Plan probeOf(int zone, int count) {
    for (int i = 0; ; i++) {
      var key = "probe" + i;
      if (laneOf.applyAsInt(key) * count / SLOTS == zone) {
        return PROBES.plan(Request.of(Subject.of(key)), 0, 0);
      }
    }
  }

  private OutageStore zoneOf(String key) {
    return zones.size() == 1
        ? zones.getFirst()
        : zones.get(laneOf.applyAsInt(key) * zones.size() / SLOTS);
  }

  /** A plan that spans zones is decided without Redis if any of them is away. */
  private OutageStore zoneOf(Plan plan) {
    if (zones.size() == 1 || plan.charges().isEmpty()) return zones.getFirst();
    for (var charge : plan.charges()) {
      var zone = zoneOf(charge.key());
      if (zone.isAway()) return zone;
    }
    return zoneOf(plan.charges().getFirst().key());
  }

  boolean isAway() {
    return zones.stream().anyMatch(OutageStore::isAway);
  }

  Optional<String> lastProblem() {
    return zones.stream()
        .filter(OutageStore::isAway)
        .findFirst()
        .or(() -> zones.stream().filter(zone -> zone.lastProblem().isPresent()).findFirst())
        .flatMap(OutageStore::lastProblem);
  }

  @Override
  public Answer decide(Plan plan) {
    return zoneOf(plan).decide(plan);
  }

  @Override
  public CompletionStage<Answer> decideAsync(Plan plan) {
    return zoneOf(plan).decideAsync(plan);
  }

  @Override
  public Answer peek(Plan plan) {
    return zoneOf(plan).peek(plan);
  }

  @Override
  public boolean renew(Charge charge) {
    return zoneOf(charge.key()).renew(charge);
  }

  @Override
  public boolean release(Charge charge) {
    return zoneOf(charge.key()).release(charge);
  }

  @Override
  public void reset(Counter counter, String key) {
    zoneOf(key).reset(counter, key);
  }

  /** All servers are asked, so not while one is away: it would be held against another's zone. */
  @Override
  public long trackedKeys() {
    return zones.stream()
        .filter(OutageStore::isAway)
        .findFirst()
        .orElse(zones.getFirst())
        .trackedKeys();
  }

  /** Each zone closes what all of them ask; after the first there is nothing left to close. */
  @Override
  public void close() {
    zones.forEach(OutageStore::close);
  }

  /**
   * Tells of several zones' outages as of one: from the first that begins to the last that ends.
   */
  private static final class Together implements OutageListener {
    private final OutageListener listener;
    private int open; // guarded by this
    private long longest; // guarded by this

    Together(OutageListener listener) {
      this.listener = listener;
    }

    @Override
    public void failed(StoreException.Kind kind) {
      listener.failed(kind);
    }

    @Override
    public synchronized void opened(String message) {
      if (open++ == 0) listener.opened(message);
    }

    @Override
    public synchronized void closed(long outageMicros) {
      longest = Math.max(longest, outageMicros);
      if (--open > 0) return;
      listener.closed(longest);
      longest = 0;
    }
  }
}
