package io.headgate.redis.internal.cluster;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.outage.CircuitBreakingStore;
import io.headgate.outage.OutageListener;
import io.headgate.outage.Reporter;
import io.headgate.redis.internal.connection.LettuceErrors;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Parts of the key space that can be away by themselves.
 *
 * <p>When one primary of a cluster dies, the slots of the others go on being decided by them. Who
 * has which slot changes, so a zone is a range of slots rather than a server: small enough that few
 * zones have slots of two servers. A single server is one zone.
 */
public final class FailureDomainStore implements Store {
  private static final int SLOTS = 16_384;
  private static final RuleSet PROBES =
      RuleSet.of(
          Rule.named("headgate-probe")
              .match("key", "*")
              .limit(new TokenBucket(Rate.perSecond(1_000_000)))
              .build());

  private final List<CircuitBreakingStore> zones = new ArrayList<>();
  private final Store shared;
  private final MemoryStore local;
  private final ToIntFunction<String> laneOf;

  /** Without a server that could be charged for what was admitted without it. */
  public FailureDomainStore(
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
  public FailureDomainStore(
      int count,
      Store shared,
      Consumer<Plan> probe,
      Reporter reporter,
      ToIntFunction<String> laneOf,
      IntSupplier instances,
      OutageListener listener) {
    this(
        count,
        shared,
        MemoryStore.create(),
        laneOf,
        listener,
        (plan, together, local) ->
            CircuitBreakingStore.beforePart(
                shared,
                () -> probe.accept(plan),
                instances,
                together,
                local,
                reporter,
                MemoryStore.DEFAULT_MOST_KEYS / count));
  }

  /** Makes the store of one zone. */
  public interface ZoneStores {
    CircuitBreakingStore create(Plan probe, OutageListener listener, MemoryStore local);
  }

  /**
   * @param local counts for rules of policy local, of all zones
   */
  public FailureDomainStore(
      int count,
      Store shared,
      MemoryStore local,
      ToIntFunction<String> laneOf,
      OutageListener listener,
      ZoneStores stores) {
    this.shared = shared;
    this.local = local;
    this.laneOf = laneOf;
    var together = new Together(listener);
    for (int zone = 0; zone < count; zone++) {
      zones.add(stores.create(probeOf(zone, count), together, local));
    }
  }

  /** A decision like any other, so that whatever keeps Redis from deciding keeps this from it. */
  private Plan probeOf(int zone, int count) {
    for (int i = 0; ; i++) {
      var key = "probe" + i;
      if (zoneOf(laneOf.applyAsInt(key), count) == zone) {
        return PROBES.plan(Request.of(Subject.of(key)), 0, 0);
      }
    }
  }

  private CircuitBreakingStore zoneOf(String key) {
    return zones.size() == 1
        ? zones.getFirst()
        : zones.get(zoneOf(laneOf.applyAsInt(key), zones.size()));
  }

  /** The zone of a slot, one of {@code count}. */
  public static int zoneOf(int slot, int count) {
    return slot * count / SLOTS;
  }

  /**
   * The zone that decides a plan: the only one that it depends on, or one of several that is away,
   * since a plan that spans zones is decided by policy if any of them is. Null if it depends on
   * several, none of which is away.
   */
  private @Nullable CircuitBreakingStore zoneOf(Plan plan) {
    if (zones.size() == 1 || plan.charges().isEmpty()) return zones.getFirst();
    CircuitBreakingStore only = null;
    boolean several = false;
    for (var charge : plan.charges()) {
      var zone = zoneOf(charge.key());
      if (zone.isUnavailable()) return zone;
      several |= only != null && !only.equals(zone);
      only = zone;
    }
    return several ? null : only;
  }

  /** The zones that a failure is of: none if it does not say, since it may be any of the plan's. */
  private Set<CircuitBreakingStore> zonesOf(Throwable problem) {
    var failed = new LinkedHashSet<CircuitBreakingStore>();
    if (problem instanceof StoreException failure) {
      for (var key : failure.keys()) failed.add(zoneOf(key));
    }
    return failed;
  }

  private PlanResult succeeded(Plan plan, PlanResult answer) {
    if (answer.source() == Source.STORE) {
      for (var charge : plan.charges()) zoneOf(charge.key()).recordSuccess();
    }
    return answer;
  }

  /**
   * Records a failure with the zones that it is of, and with no other zone of the plan.
   *
   * @return the zone whose outage the policies go by
   */
  private CircuitBreakingStore failed(Plan plan, Throwable problem) {
    var failed = zonesOf(LettuceErrors.rootOf(problem));
    failed.forEach(zone -> zone.recordFailure(LettuceErrors.rootOf(problem)));
    return failed.isEmpty() ? zoneOf(plan.charges().getFirst().key()) : failed.iterator().next();
  }

  public boolean isUnavailable() {
    return zones.stream().anyMatch(CircuitBreakingStore::isUnavailable);
  }

  public Optional<String> lastProblem() {
    return zones.stream()
        .filter(CircuitBreakingStore::isUnavailable)
        .findFirst()
        .or(() -> zones.stream().filter(zone -> zone.lastProblem().isPresent()).findFirst())
        .flatMap(CircuitBreakingStore::lastProblem);
  }

  @Override
  public PlanResult decide(Plan plan) {
    var zone = zoneOf(plan);
    if (zone != null) return zone.decide(plan);
    try {
      return succeeded(plan, shared.decide(plan));
    } catch (RuntimeException e) {
      return failed(plan, e).decideByPolicy(plan, LettuceErrors.rootOf(e));
    }
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    var zone = zoneOf(plan);
    if (zone != null) return zone.decideAsync(plan);
    CompletionStage<PlanResult> asked;
    try {
      asked = shared.decideAsync(plan);
    } catch (RuntimeException e) {
      asked = CompletableFuture.failedFuture(e);
    }
    return asked.handle((answer, problem) ->
        problem == null
            ? succeeded(plan, answer)
            : failed(plan, problem).decideByPolicy(plan, LettuceErrors.rootOf(problem)));
  }

  @Override
  public PlanResult peek(Plan plan) {
    var zone = zoneOf(plan);
    if (zone != null) return zone.peek(plan);
    try {
      return succeeded(plan, shared.peek(plan));
    } catch (RuntimeException e) {
      return failed(plan, e).peekByPolicy(plan);
    }
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

  /**
   * Asks every server, so a failure says nothing of any one zone and is not recorded. Without an
   * answer it is the number of local counters.
   */
  @Override
  public long trackedKeys() {
    if (zones.size() == 1) return zones.getFirst().trackedKeys();
    if (isUnavailable()) return local.trackedKeys();
    try {
      return shared.trackedKeys();
    } catch (StoreException e) {
      return local.trackedKeys();
    }
  }

  /** Each zone closes what all of them ask; after the first there is nothing left to close. */
  @Override
  public void close() {
    zones.forEach(CircuitBreakingStore::close);
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
