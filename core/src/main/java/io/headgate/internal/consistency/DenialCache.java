package io.headgate.internal.consistency;

import io.headgate.limit.FairShare;
import io.headgate.limit.Holdable;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.SlotLimit;
import io.headgate.rule.Charge;
import io.headgate.rule.Consistency;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.ForwardingStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.Store;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches denials for as long as they are certain, which is until their retry time for most limits,
 * so that a caller over its limit causes no traffic to the store.
 *
 * <p>For strict rules the cache is exact, and used only where it can be: a request for one permit
 * of one limit that is refused until T is refused by the same limit at any time before T, with
 * nothing remaining. Denials are not cached for limits whose permits may become available earlier:
 * slots in flight, which can be released, and permits that an instance holds under another
 * consistency mode. Without a subscription to changes nothing is cached. The denials of a limit
 * that tenants share fairly are those of one tenant. They can be outdated only if the weight of
 * another tenant is lowered meanwhile.
 *
 * <p>A leased rule keeps the denial in its {@link PermitLease}, which is looked up anyway. The
 * denial is entered here too ({@link #add}), so that a change invalidates it like the others.
 *
 * <p>Resets and returned permits are published by the instance that made them, and invalidate the
 * denial one message later. Changes that are not published (a flushed store, a lost message) take
 * effect after a second, which is the maximum age of a denial. Thread-safe.
 */
final class DenialCache extends ForwardingStore {
  private static final int MAX_ENTRIES = 100_000;
  private static final long MIN_SWEEP_NANOS = 100_000_000;

  private static final int STRIPES = 1_024;

  /** The time at which a request was sent, and the number of invalidations before it. */
  record Sent(long at, long invalidations) {}

  private final CounterNames names;
  private final LongSupplier nanos;
  private final ConcurrentHashMap<String, Denial> denials = new ConcurrentHashMap<>(); // by entry
  private final AtomicLong invalidations = new AtomicLong(); // the number so far

  /** The number of the last invalidation of a name, by the name's hash. */
  private final AtomicLongArray lastInvalidation = new AtomicLongArray(STRIPES);

  private volatile boolean enabled; // whether strict rules are cached
  private volatile long sweptAt;

  /**
   * Creates an empty cache that caches no denials of strict rules until {@link #enable}.
   *
   * @param nanos a monotonic clock
   */
  DenialCache(Store delegate, CounterNames names, LongSupplier nanos) {
    super(delegate);
    this.names = names;
    this.nanos = nanos;
    this.sweptAt = nanos.getAsLong() - MIN_SWEEP_NANOS;
  }

  /** Starts caching, because the subscription to changes is active. */
  void enable() {
    invalidateAll();
    enabled = true;
  }

  /** Stops caching, because the subscription to changes has ended. */
  void disable() {
    enabled = false;
    invalidateAll();
  }

  /** Invalidates the denial of the counter with this name. */
  void invalidate(String name) {
    recordInvalidation(stripeOf(name));
    remove(name);
  }

  private void invalidateAll() {
    for (int stripe = 0; stripe < STRIPES; stripe++) recordInvalidation(stripe);
    denials.keySet().forEach(this::remove);
  }

  private void recordInvalidation(int stripe) {
    lastInvalidation.accumulateAndGet(stripe, invalidations.incrementAndGet(), Math::max);
  }

  private void remove(String name) {
    var denial = denials.remove(name);
    if (denial != null) denial.invalidate();
  }

  private static int stripeOf(String name) {
    return name.hashCode() & STRIPES - 1;
  }

  /**
   * Returns the send time of a request and the number of invalidations before it, for {@link #add}.
   */
  Sent sent(long now) {
    return new Sent(now, invalidations.get());
  }

  @Override
  public PlanResult decide(Plan plan) {
    var charge = cacheableCharge(plan);
    if (charge == null) return super.decide(plan);
    var cached = cachedDenial(charge);
    if (cached != null) return cached;
    var sent = sent(nanos.getAsLong());
    return cache(charge, sent, super.decide(plan));
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    var charge = cacheableCharge(plan);
    if (charge == null) return super.decideAsync(plan);
    var cached = cachedDenial(charge);
    if (cached != null) return CompletableFuture.completedStage(cached);
    var sent = sent(nanos.getAsLong());
    return super.decideAsync(plan).thenApply(result -> cache(charge, sent, result));
  }

  /** Returns the plan's only charge if its denial can be cached; null otherwise. */
  private @Nullable Charge cacheableCharge(Plan plan) {
    if (!enabled || plan.charges().size() != 1) return null;
    var charge = plan.charges().getFirst();
    return charge.cost() == 1 && !mayBecomeAvailableEarly(plan, charge.limit()) ? charge : null;
  }

  private static boolean mayBecomeAvailableEarly(Plan plan, Limit limit) {
    if (limit instanceof SlotLimit) return true;
    return limit instanceof Holdable
        && plan.parts().getFirst().rule().consistency() != Consistency.STRICT;
  }

  private @Nullable PlanResult cachedDenial(Charge charge) {
    if (denials.isEmpty()) return null;
    var name = names.of(charge.counter(), charge.key());
    var entry = entryOf(name, charge);
    var denial = denials.get(entry);
    if (denial == null) return null;
    long now = nanos.getAsLong();
    boolean isOutdated = lastInvalidation.get(stripeOf(name)) > denial.invalidations();
    if (isOutdated || denial.isLeased() || !denial.isActive(now) || !denial.isOf(charge.limit())) {
      denials.remove(entry, denial);
      return null;
    }
    return new PlanResult(denial.outcome(0, now), Source.CACHE);
  }

  private PlanResult cache(Charge charge, Sent sent, PlanResult result) {
    if (!enabled || result.source() != Source.STORE) return result;
    if (result.first() instanceof Refused refused && refused.certainFor() > 0) {
      long now = nanos.getAsLong();
      add(charge, new Denial(charge, refused, false, 0, sent, now), sent, now);
    }
    return result;
  }

  /**
   * Enters a denial, so that a change of the counter invalidates it. A full cache does not accept
   * it; the denial then lasts until it expires.
   *
   * @param sent the request that was denied. If the counter was changed since, the denial may be
   *     outdated and is invalidated at once.
   */
  void add(Charge charge, Denial denial, Sent sent, long now) {
    if (denials.size() >= MAX_ENTRIES) sweep(now);
    boolean full = denials.size() >= MAX_ENTRIES;
    var name = names.of(charge.counter(), charge.key());
    var entry = entryOf(name, charge);
    if (!full) denials.put(entry, denial);
    // Checked after the put: a reset that overtook the reply is detected here or removes the entry.
    if (lastInvalidation.get(stripeOf(name)) <= sent.invalidations) return;
    denials.remove(entry, denial);
    denial.invalidate();
  }

  /** Returns the key of a denial: the name of its counter, with the tenant if the limit has any. */
  private static String entryOf(String name, Charge charge) {
    if (!(charge.limit() instanceof FairShare)) return name;
    var share = charge.shareOrNone();
    return name + '\0' + share.weight() + '\0' + share.tenant();
  }

  /**
   * Removes denials that no longer apply. Does nothing within {@link #MIN_SWEEP_NANOS} of the last
   * sweep, since a scan of a full cache takes about a millisecond.
   */
  private void sweep(long now) {
    if (now - sweptAt < MIN_SWEEP_NANOS) return;
    sweptAt = now;
    denials.values().removeIf(denial -> !denial.isActive(now));
  }

  @Override
  public void reset(Counter counter, String key) {
    super.reset(counter, key);
    invalidate(names.of(counter, key));
  }
}
