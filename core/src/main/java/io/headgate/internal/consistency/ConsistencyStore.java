package io.headgate.internal.consistency;

import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Refused;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.BatchScope;
import io.headgate.store.CallDeadline;
import io.headgate.store.ConsistencyOptions;
import io.headgate.store.ForwardingStore;
import io.headgate.store.HotKey;
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
  private final DenialCache denials;
  private final CounterNames names;
  private final IntSupplier instances;
  private final LongSupplier nanos;
  private final LeaseSizing sizing;
  private final LocalCounterTable table;
  private final HotKeyList hotKeys;
  private final BackgroundSync sync;
  private final LocalCounterSelector selector;

  private ConsistencyStore(
      DenialCache denials,
      HoldingStore holds,
      CounterNames names,
      IntSupplier instances,
      FailureDomains domains,
      ConsistencyOptions options,
      LongSupplier nanos,
      Ticker ticker) {
    super(denials);
    this.denials = denials;
    this.names = names;
    this.instances = instances;
    this.nanos = nanos;
    this.sizing = new LeaseSizing(options.share());
    this.table = new LocalCounterTable(options.maxKeys());
    var sketch =
        new HotKeySketch(BackgroundSync.HALVING_INTERVAL_SECONDS, BackgroundSync.HOT_PER_SECOND);
    this.hotKeys = new HotKeyList(sketch, table, nanos);
    this.sync = new BackgroundSync(table, holds, sketch, domains, options.syncInterval(), nanos);
    this.selector = new LocalCounterSelector(table, sketch, denials, sync, nanos, ticker);
  }

  /**
   * Decorates a store that several instances share, and starts the background thread.
   *
   * @param remote the shared store, which decides strictly; closed with this one
   * @param holds holds and charges permits in the states of {@code remote}
   * @param names the names under which instances report changes of counters to each other
   * @param instances the number of instances that share the store
   * @param domains the failure domains of the store
   */
  public static ConsistencyStore around(
      Store remote,
      HoldingStore holds,
      CounterNames names,
      IntSupplier instances,
      FailureDomains domains,
      ConsistencyOptions options) {
    var store =
        forTesting(
            remote, holds, names, instances, domains, options, System::nanoTime, Ticker.system());
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
      CounterNames names,
      IntSupplier instances,
      FailureDomains domains,
      ConsistencyOptions options,
      LongSupplier nanos,
      Ticker ticker) {
    var denials = new DenialCache(remote, names, nanos);
    return new ConsistencyStore(denials, holds, names, instances, domains, options, nanos, ticker);
  }

  /** Returns the background work, which tests run themselves. */
  BackgroundSync sync() {
    return sync;
  }

  @Override
  public PlanResult decide(Plan plan) {
    if (plan.charges().isEmpty()) return PlanResult.EMPTY;
    if (plan.charges().size() > 1) {
      var counters = selector.countersOf(plan);
      return counters == null ? delegate().decide(plan) : await(decideSeveral(plan, counters));
    }
    var charge = plan.charges().getFirst();
    var counter = selector.counterOf(plan.parts().getFirst(), charge);
    if (counter == null) return delegate().decide(plan);
    var local = decideLocally(counter, charge);
    return local != null ? local : await(decideRemotely(counter, plan, charge));
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    if (plan.charges().isEmpty()) return CompletableFuture.completedStage(PlanResult.EMPTY);
    if (plan.charges().size() > 1) {
      var counters = selector.countersOf(plan);
      return counters == null ? delegate().decideAsync(plan) : decideSeveral(plan, counters);
    }
    var charge = plan.charges().getFirst();
    var counter = selector.counterOf(plan.parts().getFirst(), charge);
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

  private void renew(PermitLease lease, Charge charge, long now) {
    var request = lease.prepareRequest(sizing, instances.getAsInt(), 0, now);
    if (request == null) return;
    var atZeroCost = new Charge(charge.counter(), charge.key(), 0, 0);
    // Not part of the call, which does not wait for it.
    var unused =
        CallDeadline.within(
            null, () -> sync.send(lease, atZeroCost, request).exceptionally(problem -> null));
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
          recordRefusal(counter, charge, request.sent(), taken.outcome());
          return new PlanResult(taken.outcome(), Source.STORE);
        });
  }

  /** Lets the store decide a plan, and caches its refusals. */
  private CompletionStage<PlanResult> decideStrictly(Plan plan, @Nullable LocalCounter[] counters) {
    var sent = denials.sent(nanos.getAsLong());
    return delegate()
        .decideAsync(plan)
        .thenApply(result -> {
          var outcomes = result.outcomes();
          for (int i = 0; i < counters.length; i++) {
            recordRefusal(counters[i], plan.charges().get(i), sent, outcomes.get(i));
          }
          return result;
        });
  }

  private void recordRefusal(
      @Nullable LocalCounter counter, Charge charge, DenialCache.Sent sent, Outcome outcome) {
    if (counter != null && outcome instanceof Refused refused) {
      counter.storeRefused(charge, refused, sent, nanos.getAsLong());
    }
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
    var deadline = CallDeadline.current();
    return CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new))
        .thenCompose(done ->
            CallDeadline.within(
                deadline,
                () ->
                    transaction.attempt(nanos.getAsLong()).isEmpty()
                        ? complete(transaction)
                        : decideStrictly(plan, counters)));
  }

  private CompletionStage<PlanResult> complete(LocalTransaction transaction) {
    var remotePlan = transaction.remotePlan();
    if (remotePlan.charges().isEmpty()) {
      return CompletableFuture.completedStage(
          transaction.complete(PlanResult.EMPTY, remotePlan, nanos.getAsLong()));
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

  /** Drops the local state of a counter, because another instance has reset it. */
  public void counterReset(String name) {
    denials.invalidate(name);
    table.removeIf((counter, key) -> names.of(counter, key).equals(name));
  }

  /** Drops the cached denial of a counter, because permits were returned to it early. */
  public void permitsReturned(String name) {
    denials.invalidate(name);
  }

  /** Starts caching denials of strict rules, because this instance is now notified of changes. */
  public void subscribed() {
    denials.enable();
  }

  /** Stops caching denials of strict rules, because notifications of changes may be lost. */
  public void disconnected() {
    denials.disable();
  }

  /** Returns the number of local counters. */
  int localCounters() {
    return table.size();
  }

  /**
   * Returns at most {@code max} hot counters, the hottest first. Counters of eventual rules are not
   * among them.
   */
  public List<HotKey> hotKeys(int max) {
    return hotKeys.hottest(max);
  }

  /** Releases the holds of this instance, reports its counts, and closes the shared store. */
  @Override
  public void close() {
    sync.close();
    super.close();
  }

  private static PlanResult await(CompletionStage<PlanResult> stage) {
    BatchScope.flush();
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
