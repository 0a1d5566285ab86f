package io.headgate.internal.script;

import io.headgate.internal.consistency.HoldingStore;
import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.SlotLimit;
import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.BatchScope;
import io.headgate.store.HoldStore;
import io.headgate.store.PlanResult;
import io.headgate.store.ReservationStore;
import io.headgate.store.ReservedPlan;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.headgate.store.Ticker;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Executes plans and other operations on remote servers: encodes each as commands, one per hash
 * slot, and submits them to the {@link Batcher} of the slot. Operations without a reply within the
 * deadline fail with a {@link StoreException}. Thread-safe.
 */
public final class ScriptExecutor implements Store, HoldingStore {
  /** The clock of decisions except in tests. */
  public static final LongSupplier SERVER_CLOCK = ServerClock.SERVER;

  /** Makes collisions of random holder ids unlikely; each id is exact in a double. */
  private static final long HOLDER_BOUND = 1L << 48;

  /** After so many attempts others have charged what was available. */
  private static final int MAX_PARTIAL_CHARGES = 4;

  private static final CompletionStage<PlanResult> NO_OUTCOMES =
      CompletableFuture.completedStage(PlanResult.EMPTY);

  private final ScriptConnection connection;
  private final CounterKeys keys;
  private final ServerClock clock;
  private final BatchListener roundTrips;
  private final CommandDeadline deadline;
  private final long holder;
  private final AtomicLong holdRequests = new AtomicLong();
  private final ConcurrentHashMap<Integer, Batcher> batchers = new ConcurrentHashMap<>();
  private final DeadlineSweeper sweeper;
  private final CrossSlotPlan crossSlotPlans;
  private final ReturnPublisher returns;
  private final ScriptReservationStore reservations;

  private ScriptExecutor(
      ScriptConnection connection,
      CounterKeys keys,
      ServerClock clock,
      BatchListener roundTrips,
      CommandDeadline deadline,
      ReadBarrier barrier,
      long holder) {
    this.connection = connection;
    this.keys = keys;
    this.clock = clock;
    this.roundTrips = roundTrips;
    this.deadline = deadline;
    this.holder = holder;
    this.sweeper = new DeadlineSweeper(deadline, batchers.values(), barrier);
    this.returns = new ReturnPublisher(keys, connection::publishReturn);
    this.crossSlotPlans =
        new CrossSlotPlan(
            this::submit, this::hashSlot, deadline, sweeper::awaitCallDeadline, returns::returned);
    this.reservations =
        new ScriptReservationStore(
            this, new OpenReservations(connection, keys, clock::decisionTime, deadline.length()));
  }

  /**
   * The settings of an executor.
   *
   * @param store the name of the store in messages
   * @param prefix the prefix of every key
   * @param deadline how long a command waits for its reply
   * @param warmUpCalls how many calls get the maximum wait before the deadline applies
   * @param roundTrips is notified of each round trip
   */
  public record Settings(
      String store, String prefix, Duration deadline, int warmUpCalls, BatchListener roundTrips) {}

  /**
   * Creates the executor of a store.
   *
   * @param barrier the barrier of the threads that read replies
   */
  public static ScriptExecutor of(
      Settings settings, ScriptConnection connection, ReadBarrier barrier) {
    var executor =
        new ScriptExecutor(
            connection,
            new CounterKeys(settings.prefix),
            new ServerClock(SERVER_CLOCK, Ticker.system()),
            settings.roundTrips,
            new CommandDeadline(
                settings.store, settings.deadline, settings.warmUpCalls, System::nanoTime),
            barrier,
            newHolder());
    executor.sweeper.start();
    return executor;
  }

  private static long newHolder() {
    return new SecureRandom().nextLong(HOLDER_BOUND);
  }

  /**
   * Creates an executor for tests, with a random id.
   *
   * @param clock the time of decisions, or {@link #SERVER_CLOCK}
   */
  public static ScriptExecutor withClock(
      ScriptConnection connection, CounterKeys keys, Duration deadline, LongSupplier clock) {
    return withClock(connection, keys, deadline, clock, Ticker.system(), newHolder());
  }

  /**
   * Creates an executor for tests.
   *
   * @param clock the time of decisions, or {@link #SERVER_CLOCK}
   * @param localClock the clock of this instance, from which the server time is estimated
   * @param holder the id of this instance as a holder of permits
   */
  static ScriptExecutor withClock(
      ScriptConnection connection,
      CounterKeys keys,
      Duration deadline,
      LongSupplier clock,
      Ticker localClock,
      long holder) {
    var executor =
        new ScriptExecutor(
            connection,
            keys,
            new ServerClock(clock, localClock),
            BatchListener.NONE,
            new CommandDeadline("the store", deadline, 0, System::nanoTime),
            ReadBarrier.NONE,
            holder);
    executor.sweeper.start();
    return executor;
  }

  /**
   * Creates an executor without threads: the test calls {@link #sweep}, and callers do not block.
   *
   * @param nanos the monotonic clock of this instance
   */
  public static ScriptExecutor forTesting(
      ScriptConnection connection,
      CounterKeys keys,
      Duration deadline,
      Ticker localClock,
      long holder,
      LongSupplier nanos) {
    return new ScriptExecutor(
        connection,
        keys,
        new ServerClock(SERVER_CLOCK, localClock),
        BatchListener.NONE,
        new CommandDeadline("the store", deadline, 0, nanos),
        ReadBarrier.NONE,
        holder);
  }

  /** Ends overdue waits, if this executor has no thread for it; see {@link #forTesting}. */
  public void sweep() {
    sweeper.sweep();
  }

  @Override
  public PlanResult decide(Plan plan) {
    return await(run(plan, true));
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    return run(plan, true);
  }

  @Override
  public PlanResult peek(Plan plan) {
    return await(run(plan, false));
  }

  private CompletionStage<PlanResult> run(Plan plan, boolean commit) {
    if (plan.charges().isEmpty()) return NO_OUTCOMES;
    return spansSlots(plan)
        ? crossSlotPlans.run(plan, commit)
        : submit(new ScriptCommand.PlanCommand(plan, commit, this::giveBackLater));
  }

  private boolean spansSlots(Plan plan) {
    var charges = plan.charges();
    for (int i = 1; i < charges.size(); i++) {
      if (hashSlot(charges.get(i)) != hashSlot(charges.getFirst())) return true;
    }
    return false;
  }

  /** Makes the charges of a reservation, and returns when they were made. */
  CompletionStage<ReservedPlan> reserve(Plan plan) {
    if (spansSlots(plan)) return crossSlotPlans.reserve(plan);
    var command =
        new ScriptCommand.ReserveCommand(plan, late -> giveBack(plan, receipts(plan, late)));
    return submit(command)
        .thenApply(reply -> new ReservedPlan(reply.result(), receipts(plan, reply)));
  }

  private static List<ReservedPlan.@Nullable Receipt> receipts(
      Plan plan, ScriptCommand.ReservedResult reply) {
    var outcomes = reply.result().outcomes();
    var receipts = new ArrayList<ReservedPlan.@Nullable Receipt>(outcomes.size());
    var charged = plan.charged(outcomes);
    for (int i = 0; i < charged.length; i++) {
      long freshAt = reply.freshAt().get(i);
      receipts.add(charged[i] ? new ReservedPlan.Receipt(reply.now(), freshAt) : null);
    }
    return receipts;
  }

  /** Gives back the charges of a reservation whose caller has stopped waiting. */
  private void giveBack(Plan plan, List<ReservedPlan.@Nullable Receipt> receipts) {
    for (int i = 0; i < receipts.size(); i++) {
      var receipt = receipts.get(i);
      if (receipt == null) continue;
      var charge = plan.charges().get(i);
      giveBackLater(new ChargeReceipt(charge, receipt.at(), receipt.freshAt()));
    }
  }

  /** Gives back a charge in the background. If the command is lost, the charge expires. */
  void giveBackLater(ChargeReceipt receipt) {
    var unused =
        submit(new ScriptCommand.GiveBack(receipt))
            .thenAccept(done -> returns.returned(receipt.charge()));
  }

  /** Publishes that a counter has permits again. */
  void publishReturn(Charge charge) {
    returns.returned(charge);
  }

  @Override
  public Optional<ReservationStore> reservations() {
    return connection.keepsReservations() ? Optional.of(reservations) : Optional.empty();
  }

  @Override
  public Optional<HoldStore> holds() {
    return Optional.of((charge, request) ->
        submit(ScriptCommand.hold(charge.withCost(request.cost()), request, this::giveBackLater))
            .thenApply(
                result -> new HoldStore.Reply(result.outcome(), result.held(), result.until())));
  }

  /**
   * Returns where reservations are kept, with failure policies.
   *
   * @param guard decides plans by failure policies while Redis is unavailable
   */
  public ReservationStore reservations(ScriptReservationStore.Guard guard) {
    return reservations.with(guard);
  }

  @Override
  public boolean renew(Charge charge) {
    return charge.limit() instanceof SlotLimit
        && await(submit(ScriptCommand.slotOperation(charge, ScriptCommand.SlotOperation.RENEW)));
  }

  @Override
  public boolean release(Charge charge) {
    return charge.limit() instanceof SlotLimit && await(releaseAsync(charge));
  }

  /** As {@link #release} for a charge of a concurrency limit, without blocking. */
  public CompletionStage<Boolean> releaseAsync(Charge charge) {
    return submit(ScriptCommand.slotOperation(charge, ScriptCommand.SlotOperation.RELEASE));
  }

  @Override
  public boolean release(Charge charge, CompletedCall call) {
    return charge.limit() instanceof SlotLimit && await(releaseAsync(charge, call));
  }

  /** As {@link #release(Charge, CompletedCall)} for a limit of slots, without blocking. */
  public CompletionStage<Boolean> releaseAsync(Charge charge, CompletedCall call) {
    if (!(charge.limit() instanceof AdaptiveConcurrency)) return releaseAsync(charge);
    return submit(ScriptCommand.releaseAfter(charge, call));
  }

  /** Gives back a charge. */
  void giveBack(ChargeReceipt receipt) {
    await(submit(new ScriptCommand.GiveBack(receipt)));
  }

  @Override
  public CompletionStage<HoldResult> hold(Charge charge, Usage usage, long want, long lease) {
    return submit(
        ScriptCommand.hold(
            charge,
            new HoldRequest(
                holder, holdRequests.incrementAndGet(), usage, charge.cost(), want, lease),
            this::giveBackLater));
  }

  @Override
  public CompletionStage<ReportResult> report(Charge charge) {
    return submit(ScriptCommand.report(charge));
  }

  /**
   * Charges permits that have been spent, such as usage that a client reports or admissions while
   * the store was unavailable. Converts a state of another limit as a decision does. If the limit
   * cannot be charged beyond its capacity (leaky bucket, rolling window, fair sharing), charges as
   * many as are available.
   */
  public CompletionStage<?> chargeSpent(Charge charge) {
    return charge.limit() instanceof Holdable
        ? submit(new ScriptCommand.SpentCommand(charge))
        : chargeAvailable(charge, MAX_PARTIAL_CHARGES);
  }

  /** Others may charge the counter between two attempts, so that less is available. */
  private CompletionStage<ScriptCommand.Outcomes> chargeAvailable(Charge charge, int attempts) {
    return submit(new ScriptCommand.ChargesCommand(List.of(charge), true))
        .thenCompose(reply -> {
          var outcome = reply.outcomes().getFirst();
          long available = outcome.remaining();
          if (outcome instanceof Passed || available == 0 || attempts == 0) {
            return CompletableFuture.completedStage(reply);
          }
          return chargeAvailable(charge.withCost(available), attempts - 1);
        });
  }

  @Override
  public void reset(Counter counter, String key) {
    if (connection.keepsReservations() && counter.limit() instanceof Holdable) {
      await(submit(ScriptCommand.resetting(new Charge(counter, key, 0, 0))));
    }
    await(connection.reset(keys.of(counter, key).getBytes(StandardCharsets.UTF_8)));
  }

  @Override
  public long trackedKeys() {
    return await(connection.size());
  }

  /** Returns whether no command is queued or in flight. */
  public boolean isIdle() {
    return batchers.values().stream().allMatch(Batcher::isIdle);
  }

  @Override
  public void close() {
    reservations.close();
    sweeper.close();
    connection.close();
  }

  int hashSlot(Charge charge) {
    return connection.hashSlot(charge.key());
  }

  /** Submits a command to the batcher of its hash slot. */
  <T> CompletionStage<T> submit(ScriptCommand<T> command) {
    batchers.computeIfAbsent(hashSlot(command.charge()), this::newBatcher).submit(command);
    if (!command.isBackground()) sweeper.awaitCallDeadline(command);
    return command;
  }

  private Batcher newBatcher(int slot) {
    return new Batcher(connection, keys, clock, deadline, roundTrips);
  }

  /** Waits until the deadline, then until the {@link DeadlineSweeper} ends the wait. */
  private <T> T await(CompletionStage<T> stage) {
    BatchScope.flush();
    var future = stage.toCompletableFuture();
    long since = deadline.now();
    try {
      try {
        return future.get(deadline.length(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        sweeper.awaitDeadline(future, since);
      }
      return future.get(deadline.maxWait(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return abandon(future, deadline.maxWaitTimeout());
    } catch (ExecutionException e) {
      throw Failures.asStoreException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return abandon(future, new StoreException(Kind.INTERRUPTED, "the caller was interrupted", e));
    }
  }

  /** Ends a wait with a failure, unless the reply has just arrived. */
  private static <T> T abandon(CompletableFuture<T> future, StoreException problem) {
    var failure = PendingReply.abandon(future, problem);
    if (future.state() == Future.State.SUCCESS) return future.resultNow();
    throw failure;
  }
}
