package io.headgate.consistency;

import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Refused;
import io.headgate.rule.Charge;
import io.headgate.rule.Combine;
import io.headgate.rule.Consistency;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
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
 * Decides here what a rule lets be decided here; asks the store for the rest.
 *
 * <p>A rule whose consistency is leased is spent from a {@link PermitLease}, one that is eventual
 * is counted in a {@link LocalCopy}, and one that is auto is leased while its counter is hot. Only
 * limits that are {@link Holdable}, and rules that charge all their limits together, can be treated
 * so; the others are decided strictly whatever they say. What the store can't be asked for fails
 * with a {@link StoreException}, as the store itself does.
 */
public final class ConsistencyStore implements Store {
  private static final PlanResult NOTHING = new PlanResult(List.of(), Source.STORE);

  private final Store remote;
  private final IntSupplier instances;
  private final LongSupplier nanos;
  private final Ticker ticker;
  private final LeaseSizing size;
  private final LocalCounterTable table;
  private final HotKeySketch hot =
      new HotKeySketch(BackgroundSync.HALVED_EVERY_SECONDS, BackgroundSync.HOT_PER_SECOND);
  private final BackgroundSync errands;

  private ConsistencyStore(
      Store remote,
      HoldingStore counts,
      IntSupplier instances,
      FailureDomains domains,
      ConsistencyOptions options,
      LongSupplier nanos,
      Ticker ticker) {
    this.remote = remote;
    this.instances = instances;
    this.nanos = nanos;
    this.ticker = ticker;
    this.size = new LeaseSizing(options.share());
    this.table = new LocalCounterTable(options.mostKeys());
    this.errands = new BackgroundSync(table, counts, hot, domains, options.syncInterval(), nanos);
  }

  /**
   * Stands before a store that several instances share.
   *
   * @param remote decides strictly; is closed with this one
   * @param counts the same states
   * @param instances how many share them
   * @param domains which of them can be unavailable while others are not
   */
  public static ConsistencyStore before(
      Store remote,
      HoldingStore counts,
      IntSupplier instances,
      FailureDomains domains,
      ConsistencyOptions options) {
    var store =
        new ConsistencyStore(
            remote, counts, instances, domains, options, System::nanoTime, Ticker.system());
    store.errands.start();
    return store;
  }

  /**
   * By clocks that are turned by hand, and with errands that are run by hand. Everything happens on
   * the threads that call this store, run its errands or complete what it has asked for.
   *
   * @param nanos the steady clock of the instance
   * @param ticker its time of day, from which it guesses the store's until that has answered
   */
  static ConsistencyStore forTesting(
      Store remote,
      HoldingStore counts,
      IntSupplier instances,
      FailureDomains domains,
      ConsistencyOptions options,
      LongSupplier nanos,
      Ticker ticker) {
    return new ConsistencyStore(remote, counts, instances, domains, options, nanos, ticker);
  }

  /** With one failure domain, and a time of day that is the steady clock's. */
  static ConsistencyStore forTesting(
      Store remote,
      HoldingStore counts,
      IntSupplier instances,
      ConsistencyOptions options,
      LongSupplier nanos) {
    Ticker ticker = () -> nanos.getAsLong() / 1_000;
    return forTesting(remote, counts, instances, FailureDomains.ONE, options, nanos, ticker);
  }

  BackgroundSync errands() {
    return errands;
  }

  @Override
  public PlanResult decide(Plan plan) {
    if (plan.charges().isEmpty()) return NOTHING;
    if (plan.charges().size() > 1) {
      var counters = countersOf(plan);
      return counters == null ? remote.decide(plan) : await(several(plan, counters));
    }
    var charge = plan.charges().getFirst();
    var counter = counterOf(plan.parts().getFirst(), charge);
    if (counter == null) return remote.decide(plan);
    var here = here(counter, charge);
    return here != null ? here : await(fetched(counter, plan, charge));
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    if (plan.charges().isEmpty()) return CompletableFuture.completedStage(NOTHING);
    if (plan.charges().size() > 1) {
      var counters = countersOf(plan);
      return counters == null ? remote.decideAsync(plan) : several(plan, counters);
    }
    var charge = plan.charges().getFirst();
    var counter = counterOf(plan.parts().getFirst(), charge);
    if (counter == null) return remote.decideAsync(plan);
    var here = here(counter, charge);
    return here != null ? CompletableFuture.completedStage(here) : fetched(counter, plan, charge);
  }

  private @Nullable PlanResult here(LocalCounter counter, Charge charge) {
    long now = nanos.getAsLong();
    var outcome = counter.spend(charge, now);
    if (outcome == null) return null;
    if (counter instanceof PermitLease slice && slice.isLow(now)) renew(slice, charge, now);
    return new PlanResult(outcome, counter.source(outcome));
  }

  /** What is known here of a charge's counter; null where the store is to decide. */
  private @Nullable LocalCounter counterOf(Plan.Part part, Charge charge) {
    var way = part.rule().consistency();
    boolean hot = this.hot.heard(charge.counter(), charge.key());
    if (way == Consistency.STRICT || !isDivisible(part)) return null;
    return switch (way) {
      case STRICT -> null;
      case LEASED -> slice(charge);
      case AUTO -> hot ? slice(charge) : null;
      case EVENTUAL -> replica(charge);
    };
  }

  /** A rule is treated as a whole: all of its limits here, or none. */
  private static boolean isDivisible(Plan.Part part) {
    var combine = part.rule().combine();
    boolean all = !(combine instanceof Combine.Any) && !(combine instanceof Combine.Weighted);
    if (part.counters().size() > 1 && !all) return false;
    for (var counter : part.counters()) {
      if (!(counter.limit() instanceof Holdable)) return false;
    }
    return true;
  }

  private @Nullable PermitLease slice(Charge charge) {
    return table.obtain(
        charge, PermitLease.class, () -> new PermitLease(charge, nanos.getAsLong()));
  }

  /** Of a counter that is new here the store is asked at once: others may know more of it. */
  private @Nullable LocalCopy replica(Charge charge) {
    return table.obtain(
        charge,
        LocalCopy.class,
        () -> {
          var outbox = errands.outboxOf(charge.key());
          boolean known = !table.isIncomplete();
          var copy = new LocalCopy(charge, known, outbox, ticker.micros(), nanos.getAsLong());
          errands.expect(copy, outbox);
          return copy;
        });
  }

  private void renew(PermitLease slice, Charge charge, long now) {
    var question = slice.ask(size, instances.getAsInt(), 0, now);
    if (question == null) return;
    var look = new Charge(charge.counter(), charge.key(), 0, 0);
    var unused = errands.take(slice, look, question).exceptionally(problem -> null);
  }

  /** The store decides, and holds some for those who come next. */
  private CompletionStage<PlanResult> fetched(LocalCounter counter, Plan plan, Charge charge) {
    long now = nanos.getAsLong();
    var question =
        counter instanceof PermitLease slice ? slice.ask(size, instances.getAsInt(), 0, now) : null;
    if (question == null) return strictly(plan, new LocalCounter[] {counter});
    return errands
        .take((PermitLease) counter, charge, question)
        .thenApply(taken -> {
          noteRefused(counter, charge, taken.outcome());
          return new PlanResult(taken.outcome(), Source.STORE);
        });
  }

  /** As the store says; what it refuses is remembered here. */
  private CompletionStage<PlanResult> strictly(Plan plan, @Nullable LocalCounter[] counters) {
    return remote
        .decideAsync(plan)
        .thenApply(answer -> {
          var outcomes = answer.outcomes();
          for (int i = 0; i < counters.length; i++) {
            noteRefused(counters[i], plan.charges().get(i), outcomes.get(i));
          }
          return answer;
        });
  }

  private void noteRefused(@Nullable LocalCounter counter, Charge charge, Outcome outcome) {
    if (counter != null && outcome instanceof Refused refused) {
      counter.refused(charge, refused, nanos.getAsLong());
    }
  }

  private @Nullable LocalCounter @Nullable [] countersOf(Plan plan) {
    @Nullable LocalCounter @Nullable [] counters = null;
    for (var part : plan.parts()) {
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var counter = counterOf(part, plan.charges().get(i));
        if (counter == null) break; // the whole rule is the store's
        if (counters == null) counters = new @Nullable LocalCounter[plan.charges().size()];
        counters[i] = counter;
      }
      if (counters != null) forgetPartly(part, counters);
    }
    return counters;
  }

  /** A rule of which not all limits are known here is the store's. */
  private static void forgetPartly(Plan.Part part, @Nullable LocalCounter[] counters) {
    int end = part.from() + part.counters().size();
    if (counters[end - 1] != null) return;
    for (int i = part.from(); i < end; i++) counters[i] = null;
  }

  private CompletionStage<PlanResult> several(Plan plan, @Nullable LocalCounter[] counters) {
    var spending = new LocalTransaction(plan, counters);
    var missing = spending.attempt(nanos.getAsLong());
    if (missing.isEmpty()) return finished(spending);
    var questions = new ArrayList<CompletableFuture<?>>(missing.size());
    for (int i : missing) {
      var charge = plan.charges().get(i);
      long now = nanos.getAsLong();
      if (!(counters[i] instanceof PermitLease slice)) continue;
      var question = slice.ask(size, instances.getAsInt(), charge.cost(), now);
      if (question == null) continue;
      var look = new Charge(charge.counter(), charge.key(), 0, 0);
      questions.add(errands.take(slice, look, question).toCompletableFuture());
    }
    return CompletableFuture.allOf(questions.toArray(CompletableFuture[]::new))
        .thenCompose(taken ->
            spending.attempt(nanos.getAsLong()).isEmpty()
                ? finished(spending)
                : strictly(plan, counters));
  }

  private CompletionStage<PlanResult> finished(LocalTransaction spending) {
    var rest = spending.rest();
    if (rest.charges().isEmpty()) {
      return CompletableFuture.completedStage(spending.with(NOTHING, rest, nanos.getAsLong()));
    }
    return remote
        .decideAsync(rest)
        .whenComplete((answer, problem) -> {
          if (problem != null) spending.takeBack(nanos.getAsLong());
        })
        .thenApply(answer -> spending.with(answer, rest, nanos.getAsLong()));
  }

  /** As the store sees it: what this instance holds is not to be had there. */
  @Override
  public PlanResult peek(Plan plan) {
    return remote.peek(plan);
  }

  @Override
  public boolean renew(Charge charge) {
    return remote.renew(charge);
  }

  @Override
  public boolean release(Charge charge) {
    return remote.release(charge);
  }

  @Override
  public void reset(Counter counter, String key) {
    remote.reset(counter, key);
    table.forget(counter, key);
  }

  /** Forgets what is known here of counters that another instance has reset. */
  public void forgetIf(BiPredicate<Counter, String> meant) {
    table.forgetIf(meant);
  }

  /** How many counters something is known of here. */
  int trackedHere() {
    return table.size();
  }

  /** The counters that are asked about most. */
  public List<HotKey> hotKeys(int most) {
    return hot.hottest(most).stream()
        .map(found ->
            new HotKey(
                found.counter().rule(),
                found.key(),
                found.perSecond(),
                table.isSlice(found.counter(), found.key())))
        .toList();
  }

  @Override
  public long trackedKeys() {
    return remote.trackedKeys();
  }

  /** Gives back what the store holds for this instance, and reports what it has not heard yet. */
  @Override
  public void close() {
    errands.close();
    remote.close();
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
