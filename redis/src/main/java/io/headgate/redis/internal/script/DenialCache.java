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
 * <p>Exact, and used only where it is: a request for one permit of one limit, refused until T, is
 * refused by the same limit at every moment before T, with nothing remaining. Not for limits whose
 * permits may come back earlier: slots in flight, which are released, and permits that an instance
 * holds under a consistency mode other than strict. Permits that a plan across slots gave back, and
 * counters that were reset, by any instance, are announced ({@link PubSub}) and invalidate the
 * entry one message later; without a subscription nothing is cached. What is not announced (all
 * keys flushed, a server restarted empty, a lost message) shows after a second, the longest that an
 * entry lives.
 */
public final class DenialCache implements Store {
  private static final long BELIEVED_NANOS = 1_000_000_000;
  private static final int MOST = 100_000;

  /**
   * Times are of {@code nanoTime}. The denial ends no later than its cause, since it counts from
   * before the question was sent; what it tells the caller counts from the answer, so that coming
   * back then is not too early.
   */
  private record Denial(Limit limit, long until, long retryAt, long resetAt) {}

  /** When a question was sent, and what had been forgotten by then. */
  private record Asked(long at, long forgotten) {}

  private final Store next;
  private final RedisKeys keys;
  private final LongSupplier nanos;
  private final ConcurrentHashMap<String, Denial> denials = new ConcurrentHashMap<>();
  private final AtomicLong forgotten = new AtomicLong(); // how often something was
  private volatile boolean remembers;

  public DenialCache(Store next, RedisKeys keys) {
    this(next, keys, System::nanoTime);
  }

  /** With a steady clock of its own. */
  public DenialCache(Store next, RedisKeys keys, LongSupplier nanos) {
    this.nanos = nanos;
    this.next = next;
    this.keys = keys;
  }

  /** Hears which counters are forgotten, by whichever instance. */
  public PubSub.Listener ear() {
    return new PubSub.Listener() {
      @Override
      public void hear(byte[] key) {
        forget(new String(key, StandardCharsets.UTF_8));
      }

      @Override
      public void begins() {
        remember();
      }

      @Override
      public void ends() {
        stopRemembering();
      }
    };
  }

  /** From now on every reset will be heard of. */
  public void remember() {
    forgetAll();
    remembers = true;
  }

  void stopRemembering() {
    remembers = false;
    forgetAll();
  }

  public void forget(String key) {
    forgotten.incrementAndGet();
    denials.remove(key);
  }

  private void forgetAll() {
    forgotten.incrementAndGet();
    denials.clear();
  }

  @Override
  public PlanResult decide(Plan plan) {
    var charge = decidedHere(plan);
    if (charge == null) return next.decide(plan);
    var known = known(charge);
    if (known != null) return known;
    var asked = new Asked(nanos.getAsLong(), forgotten.get());
    return noted(charge, asked, next.decide(plan));
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    var charge = decidedHere(plan);
    if (charge == null) return next.decideAsync(plan);
    var known = known(charge);
    if (known != null) return CompletableFuture.completedStage(known);
    var asked = new Asked(nanos.getAsLong(), forgotten.get());
    return next.decideAsync(plan).thenApply(answer -> noted(charge, asked, answer));
  }

  /** The plan's only charge, if that is of a kind whose denials hold; null otherwise. */
  private @Nullable Charge decidedHere(Plan plan) {
    if (!remembers || plan.charges().size() != 1) return null;
    var charge = plan.charges().getFirst();
    return charge.cost() == 1 && !mayComeBackEarly(plan, charge.limit()) ? charge : null;
  }

  private static boolean mayComeBackEarly(Plan plan, Limit limit) {
    if (limit instanceof Concurrency) return true;
    return limit instanceof Holdable
        && plan.parts().getFirst().rule().consistency() != Consistency.STRICT;
  }

  private @Nullable PlanResult known(Charge charge) {
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

  private PlanResult noted(Charge charge, Asked asked, PlanResult answer) {
    if (!(answer.first() instanceof Refused refused)) return answer;
    if (!remembers || answer.source() != Source.STORE) return answer;
    if (denials.size() >= MOST) sweep();
    if (denials.size() >= MOST) return answer;
    long now = nanos.getAsLong();
    long until = asked.at + Math.min(BELIEVED_NANOS, refused.retryAfter() * 1_000);
    var denial =
        new Denial(
            charge.limit(),
            until,
            now + refused.retryAfter() * 1_000,
            now + refused.resetAfter() * 1_000);
    var key = keys.of(charge.counter(), charge.key());
    denials.put(key, denial);
    // Looked at after the put: a reset that overtook the answer either is seen here or removes it.
    if (asked.forgotten != forgotten.get()) denials.remove(key, denial);
    return answer;
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
    forget(keys.of(counter, key));
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
