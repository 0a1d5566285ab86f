package io.headgate.consistency;

import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Refused;
import io.headgate.rule.Charge;
import io.headgate.rule.Combine;
import io.headgate.rule.Consistency;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.ForwardingStore;
import io.headgate.store.HoldingStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import io.headgate.store.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.BiPredicate;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides locally for rules whose consistency mode permits it, and forwards the other plans to a
 * shared store.
 *
 * <p>A leased rule spends from a {@link PermitLease}. An eventual rule counts in a {@link
 * LocalCopy}. An auto rule is leased while its counter is hot, and strict otherwise. Local
 * decisions need a limit that is {@link Holdable} and a rule that charges all of its limits
 * together. Other rules are decided strictly, whatever their mode.
 *
 * <p>{@link #peek} always evaluates the plan in the shared store, where permits that instances
 * hold, including this one, are not available.
 *
 * <p>Thread-safe. Fails with a {@link StoreException} if the shared store has to decide and fails.
 */
public final class ConsistencyStore extends ForwardingStore {
  private static final PlanResult EMPTY_RESULT = new PlanResult(List.of(), Source.STORE);

  private final IntSupplier instances;
  private final LongSupplier nanos;
  private final Ticker ticker;
  private final LeaseSizing sizing;
  private final LocalCounterTable table;
  private final HotKeySketch hotKeys =
      new HotKeySketch(BackgroundSync.HALVING_INTERVAL_SECONDS, BackgroundSync.HOT_PER_SECOND);
  private final BackgroundSync sync;

  private ConsistencyStore(
      Store remote,
      HoldingStore holds,
      IntSupplier instances,
      FailureDomains domains,
      ConsistencyOptions options,
      LongSupplier nanos,
      Ticker ticker) {
    super(remote);
    this.instances = instances;
    this.nanos = nanos;
    this.ticker = ticker;
    this.sizing = new LeaseSizing(options.share());
    this.table = new LocalCounterTable(options.maxKeys());
    this.sync = new BackgroundSync(table, holds, hotKeys, domains, options.syncInterval(), nanos);
  }

  /**
   * Decorates a store that several instances share, and starts the background thread.
   *
   * @param remote the shared store, which decides strictly; closed with this one
   * @param holds holds and charges permits in the states of {@code remote}
   * @param instances the number of instances that share the store
   * @param domains the failure domains of the store
   */
  public static ConsistencyStore around(
      Store remote,
      HoldingStore holds,
      IntSupplier instances,
      FailureDomains domains,
      ConsistencyOptions options) {
    var store =
        new ConsistencyStore(
            remote, holds, instances, domains, options, System::nanoTime, Ticker.system());
    store.sync.start();
    return store;
  }

  /**
   * Decorates a store without starting a thread, with the given clocks. All work is done on the
   * threads that call this store, call {@link BackgroundSync#run} or complete the store's stages.
   *
   * @param nanos the monotonic clock of the instance
   * @param ticker the wall clock of the instance, an estimate of the store's until its first reply
   */
  static ConsistencyStore forTesting(
      Store remote,
      HoldingStore holds,
      IntSupplier instances,
      FailureDomains domains,
      ConsistencyOptions options,
      LongSupplier nanos,
      Ticker ticker) {
    return new ConsistencyStore(remote, holds, instances, domains, options, nanos, ticker);
  }

  /** As the other method, with one failure domain, and a wall clock that is the monotonic clock. */
  static ConsistencyStore forTesting(
      Store remote,
      HoldingStore holds,
      IntSupplier instances,
      ConsistencyOptions options,
      LongSupplier nanos) {
    Ticker ticker = () -> nanos.getAsLong() / 1_000;
    return forTesting(remote, holds, instances, FailureDomains.ONE, options, nanos, ticker);
  }

  /** Returns the background work, which tests run themselves. */
  BackgroundSync sync() {
    return sync;
  }

  @Override
  public PlanResult decide(Plan plan) {
    if (plan.charges().isEmpty()) return EMPTY_RESULT;
    if (plan.charges().size() > 1) {
      var counters = countersOf(plan);
      return counters == null ? delegate().decide(plan) : await(decideSeveral(plan, counters));
    }
    var charge = plan.charges().getFirst();
    var counter = counterOf(plan.parts().getFirst(), charge);
    if (counter == null) return delegate().decide(plan);
    var local = decideLocally(counter, charge);
    return local != null ? local : await(decideRemotely(counter, plan, charge));
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    if (plan.charges().isEmpty()) return CompletableFuture.completedStage(EMPTY_RESULT);
    if (plan.charges().size() > 1) {
      var counters = countersOf(plan);
      return counters == null ? delegate().decideAsync(plan) : decideSeveral(plan, counters);
    }
    var charge = plan.charges().getFirst();
    var counter = counterOf(plan.parts().getFirst(), charge);
    if (counter == null) return delegate().decideAsync(plan);
    var local = decideLocally(counter, charge);
    return local != null
        ? CompletableFuture.completedStage(local)
        : decideRemotely(counter, plan, charge);
  }

  /** Decides a plan of one charge; returns null if only the store can. */
  private @Nullable PlanResult decideLocally(LocalCounter counter, Charge charge) {
    long now = nanos.getAsLong();
    var outcome = counter.spend(charge, now);
    if (outcome == null) return null;
    if (counter instanceof PermitLease lease && lease.isLow(now)) renew(lease, charge, now);
    return new PlanResult(outcome, counter.source(outcome));
  }

  /** Returns the local counter of a charge; null if the store has to decide. */
  private @Nullable LocalCounter counterOf(Plan.Part part, Charge charge) {
    var mode = part.rule().consistency();
    boolean hot = hotKeys.record(charge.counter(), charge.key());
    if (mode == Consistency.STRICT || !isHoldable(part)) return null;
    return switch (mode) {
      case STRICT -> null;
      case LEASED -> leaseOf(charge);
      case AUTO -> hot ? leaseOf(charge) : null;
      case EVENTUAL -> copyOf(charge);
    };
  }

  /** Returns whether all limits of a rule can be decided locally: it is decided as a whole. */
  private static boolean isHoldable(Plan.Part part) {
    var combine = part.rule().combine();
    boolean all = !(combine instanceof Combine.Any) && !(combine instanceof Combine.Weighted);
    if (part.counters().size() > 1 && !all) return false;
    for (var counter : part.counters()) {
      if (!(counter.limit() instanceof Holdable)) return false;
    }
    return true;
  }

  private @Nullable PermitLease leaseOf(Charge charge) {
    return table.obtain(
        charge, PermitLease.class, () -> new PermitLease(charge, nanos.getAsLong()));
  }

  /**
   * Returns the local copy of a charge's counter. The store's state of a new copy is requested at
   * once, since other instances may have used the counter.
   */
  private @Nullable LocalCopy copyOf(Charge charge) {
    return table.obtain(
        charge,
        LocalCopy.class,
        () -> {
          var queue = sync.queueOf(charge.key());
          boolean usable = !table.hasEvicted();
          var copy = new LocalCopy(charge, usable, queue, ticker.micros(), nanos.getAsLong());
          sync.syncSoon(copy, queue);
          return copy;
        });
  }

  private void renew(PermitLease lease, Charge charge, long now) {
    var request = lease.prepareRequest(sizing, instances.getAsInt(), 0, now);
    if (request == null) return;
    var atZeroCost = new Charge(charge.counter(), charge.key(), 0, 0);
    var unused = sync.send(lease, atZeroCost, request).exceptionally(problem -> null);
  }

  /** Lets the store decide a plan of one charge, and hold permits for the next requests. */
  private CompletionStage<PlanResult> decideRemotely(
      LocalCounter counter, Plan plan, Charge charge) {
    long now = nanos.getAsLong();
    var request =
        counter instanceof PermitLease lease
            ? lease.prepareRequest(sizing, instances.getAsInt(), 0, now)
            : null;
    if (request == null) return decideStrictly(plan, new LocalCounter[] {counter});
    return sync.send((PermitLease) counter, charge, request)
        .thenApply(taken -> {
          recordRefusal(counter, charge, taken.outcome());
          return new PlanResult(taken.outcome(), Source.STORE);
        });
  }

  /** Lets the store decide a plan, and caches its refusals. */
  private CompletionStage<PlanResult> decideStrictly(Plan plan, @Nullable LocalCounter[] counters) {
    return delegate()
        .decideAsync(plan)
        .thenApply(result -> {
          var outcomes = result.outcomes();
          for (int i = 0; i < counters.length; i++) {
            recordRefusal(counters[i], plan.charges().get(i), outcomes.get(i));
          }
          return result;
        });
  }

  private void recordRefusal(@Nullable LocalCounter counter, Charge charge, Outcome outcome) {
    if (counter != null && outcome instanceof Refused refused) {
      counter.storeRefused(charge, refused, nanos.getAsLong());
    }
  }

  /** Returns the local counters of a plan, null for those of the store; null if there are none. */
  private @Nullable LocalCounter @Nullable [] countersOf(Plan plan) {
    @Nullable LocalCounter @Nullable [] counters = null;
    for (var part : plan.parts()) {
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var counter = counterOf(part, plan.charges().get(i));
        if (counter == null) break; // the store decides the whole rule
        if (counters == null) counters = new @Nullable LocalCounter[plan.charges().size()];
        counters[i] = counter;
      }
      if (counters != null) clearIfPartial(part, counters);
    }
    return counters;
  }

  /** Leaves a rule to the store if not all of its limits have a local counter. */
  private static void clearIfPartial(Plan.Part part, @Nullable LocalCounter[] counters) {
    int end = part.from() + part.counters().size();
    if (counters[end - 1] != null) return;
    for (int i = part.from(); i < end; i++) counters[i] = null;
  }

  /**
   * Decides a plan of several charges. Requests permits for the leases that have too few and tries
   * again. If that is not enough, the store decides the whole plan.
   */
  private CompletionStage<PlanResult> decideSeveral(Plan plan, @Nullable LocalCounter[] counters) {
    var transaction = new LocalTransaction(plan, counters);
    var undecided = transaction.attempt(nanos.getAsLong());
    if (undecided.isEmpty()) return complete(transaction);
    var replies = new ArrayList<CompletableFuture<?>>(undecided.size());
    for (int i : undecided) {
      var charge = plan.charges().get(i);
      long now = nanos.getAsLong();
      if (!(counters[i] instanceof PermitLease lease)) continue;
      var request = lease.prepareRequest(sizing, instances.getAsInt(), charge.cost(), now);
      if (request == null) continue;
      var atZeroCost = new Charge(charge.counter(), charge.key(), 0, 0);
      replies.add(sync.send(lease, atZeroCost, request).toCompletableFuture());
    }
    return CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new))
        .thenCompose(done ->
            transaction.attempt(nanos.getAsLong()).isEmpty()
                ? complete(transaction)
                : decideStrictly(plan, counters));
  }

  private CompletionStage<PlanResult> complete(LocalTransaction transaction) {
    var remotePlan = transaction.remotePlan();
    if (remotePlan.charges().isEmpty()) {
      return CompletableFuture.completedStage(
          transaction.complete(EMPTY_RESULT, remotePlan, nanos.getAsLong()));
    }
    return delegate()
        .decideAsync(remotePlan)
        .whenComplete((result, problem) -> {
          if (problem != null) transaction.rollBack(nanos.getAsLong());
        })
        .thenApply(result -> transaction.complete(result, remotePlan, nanos.getAsLong()));
  }

  @Override
  public void reset(Counter counter, String key) {
    super.reset(counter, key);
    table.remove(counter, key);
  }

  /** Drops the local counters that match, because another instance has reset them. */
  public void invalidateIf(BiPredicate<Counter, String> predicate) {
    table.removeIf(predicate);
  }

  /** Returns the number of local counters. */
  int localCounters() {
    return table.size();
  }

  /** Returns at most {@code max} hot counters, the hottest first. */
  public List<HotKey> hotKeys(int max) {
    return hotKeys.hottest(max).stream()
        .map(found ->
            new HotKey(
                found.counter().rule(),
                found.key(),
                found.perSecond(),
                table.isLeased(found.counter(), found.key())))
        .toList();
  }

  /** Releases the holds of this instance, reports its counts, and closes the shared store. */
  @Override
  public void close() {
    sync.close();
    super.close();
  }

  private static PlanResult await(CompletionStage<PlanResult> stage) {
    try {
      return stage.toCompletableFuture().get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof StoreException known
          ? known
          : new StoreException(StoreException.Kind.OTHER, String.valueOf(e.getCause()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(StoreException.Kind.INTERRUPTED, "the caller was interrupted", e);
    }
  }
}
