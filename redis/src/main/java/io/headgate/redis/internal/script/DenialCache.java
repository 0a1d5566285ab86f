package io.headgate.redis.internal.script;

import io.headgate.limit.Concurrency;
import io.headgate.limit.Holdable;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Refused;
import io.headgate.redis.internal.connection.PubSub;
import io.headgate.redis.internal.connection.RedisKeys;
import io.headgate.rule.Charge;
import io.headgate.rule.Consistency;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.Store;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches denials until their retry time, so that a caller over its limit causes no Redis traffic.
 *
 * <p>The cache is exact and used only where it can be: a request for one permit of one limit that
 * is refused until T is refused by the same limit at any time before T, with nothing remaining.
 * Denials are not cached for limits whose permits may become available earlier: slots in flight,
 * which can be released, and permits that an instance holds under a consistency mode other than
 * strict. Resets, and permits given back by plans across slots, are published by the instance that
 * made them ({@link PubSub}) and invalidate the entry one message later. Without a subscription
 * nothing is cached. Changes that are not published (FLUSHALL, a server restarted empty, a lost
 * message) take effect after a second, which is the maximum age of an entry. Thread-safe.
 */
public final class DenialCache implements Store {
  private static final long MAX_TTL_NANOS = 1_000_000_000;
  private static final int MAX_ENTRIES = 100_000;

  /**
   * A cached denial. Times are of the monotonic clock. {@code until} counts from before the command
   * was sent, so the entry never outlives the refusal. The times reported to the caller count from
   * the reply, so that a retry at that time is not too early.
   */
  private record Denial(Limit limit, long until, long retryAt, long resetAt) {}

  /** The time at which a command was sent, and the number of invalidations before it. */
  private record Sent(long at, long invalidations) {}

  private final Store next;
  private final RedisKeys keys;
  private final LongSupplier nanos;
  private final ConcurrentHashMap<String, Denial> denials = new ConcurrentHashMap<>();
  private final AtomicLong invalidations = new AtomicLong(); // number of invalidations
  private volatile boolean enabled;

  public DenialCache(Store next, RedisKeys keys) {
    this(next, keys, System::nanoTime);
  }

  /**
   * Creates a cache with a given clock.
   *
   * @param nanos a monotonic clock
   */
  public DenialCache(Store next, RedisKeys keys, LongSupplier nanos) {
    this.nanos = nanos;
    this.next = next;
    this.keys = keys;
  }

  /** Returns the listener that invalidates entries; it receives the keys of changed counters. */
  public PubSub.Listener listener() {
    return new PubSub.Listener() {
      @Override
      public void onMessage(byte[] key) {
        invalidate(new String(key, StandardCharsets.UTF_8));
      }

      @Override
      public void onSubscribed() {
        enable();
      }

      @Override
      public void onDisconnected() {
        disable();
      }
    };
  }

  /** Starts caching; call it when the subscription to invalidations is active. */
  public void enable() {
    invalidateAll();
    enabled = true;
  }

  void disable() {
    enabled = false;
    invalidateAll();
  }

  /** Invalidates the entry of a counter, by its Redis key. */
  public void invalidate(String key) {
    invalidations.incrementAndGet();
    denials.remove(key);
  }

  private void invalidateAll() {
    invalidations.incrementAndGet();
    denials.clear();
  }

  @Override
  public PlanResult decide(Plan plan) {
    var charge = cacheableCharge(plan);
    if (charge == null) return next.decide(plan);
    var cached = cachedDenial(charge);
    if (cached != null) return cached;
    var sent = new Sent(nanos.getAsLong(), invalidations.get());
    return store(charge, sent, next.decide(plan));
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    var charge = cacheableCharge(plan);
    if (charge == null) return next.decideAsync(plan);
    var cached = cachedDenial(charge);
    if (cached != null) return CompletableFuture.completedStage(cached);
    var sent = new Sent(nanos.getAsLong(), invalidations.get());
    return next.decideAsync(plan).thenApply(result -> store(charge, sent, result));
  }

  /** Returns the plan's only charge if its denial can be cached; null otherwise. */
  private @Nullable Charge cacheableCharge(Plan plan) {
    if (!enabled || plan.charges().size() != 1) return null;
    var charge = plan.charges().getFirst();
    return charge.cost() == 1 && !mayBecomeAvailableEarly(plan, charge.limit()) ? charge : null;
  }

  private static boolean mayBecomeAvailableEarly(Plan plan, Limit limit) {
    if (limit instanceof Concurrency) return true;
    return limit instanceof Holdable
        && plan.parts().getFirst().rule().consistency() != Consistency.STRICT;
  }

  private @Nullable PlanResult cachedDenial(Charge charge) {
    if (denials.isEmpty()) return null;
    var key = keys.of(charge.counter(), charge.key());
    var denial = denials.get(key);
    if (denial == null) return null;
    long now = nanos.getAsLong();
    if (now - denial.until >= 0 || !denial.limit.equals(charge.limit())) {
      denials.remove(key, denial);
      return null;
    }
    return new PlanResult(
        new Refused(0, micros(denial.resetAt - now), micros(denial.retryAt - now)), Source.CACHE);
  }

  private PlanResult store(Charge charge, Sent sent, PlanResult result) {
    if (!(result.first() instanceof Refused refused)) return result;
    if (!enabled || result.source() != Source.STORE) return result;
    if (denials.size() >= MAX_ENTRIES) sweep();
    if (denials.size() >= MAX_ENTRIES) return result;
    long now = nanos.getAsLong();
    long until = sent.at + Math.min(MAX_TTL_NANOS, refused.retryAfter() * 1_000);
    var denial =
        new Denial(
            charge.limit(),
            until,
            now + refused.retryAfter() * 1_000,
            now + refused.resetAfter() * 1_000);
    var key = keys.of(charge.counter(), charge.key());
    denials.put(key, denial);
    // Checked after the put: a reset that overtook the reply is detected here or removes the entry.
    if (sent.invalidations != invalidations.get()) denials.remove(key, denial);
    return result;
  }

  private void sweep() {
    long now = nanos.getAsLong();
    denials.values().removeIf(denial -> now - denial.until >= 0);
  }

  private static long micros(long nanos) {
    return Math.max(1, Math.ceilDiv(nanos, 1_000));
  }

  @Override
  public PlanResult peek(Plan plan) {
    return next.peek(plan);
  }

  @Override
  public boolean renew(Charge charge) {
    return next.renew(charge);
  }

  @Override
  public boolean release(Charge charge) {
    return next.release(charge);
  }

  @Override
  public void reset(Counter counter, String key) {
    next.reset(counter, key);
    invalidate(keys.of(counter, key));
  }

  @Override
  public long trackedKeys() {
    return next.trackedKeys();
  }

  @Override
  public void close() {
    next.close();
  }
}
