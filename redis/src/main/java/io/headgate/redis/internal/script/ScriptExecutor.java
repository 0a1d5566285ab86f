package io.headgate.redis.internal.script;

import io.headgate.limit.Concurrency;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome.Refused;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RoundTripListener;
import io.headgate.redis.internal.connection.LettuceErrors;
import io.headgate.redis.internal.connection.ReadBarrier;
import io.headgate.redis.internal.connection.RedisConnection;
import io.headgate.redis.internal.connection.RedisKeys;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.HoldingStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.headgate.store.Ticker;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Executes plans and commands in Redis. Operations without a reply within the deadline fail with a
 * {@link StoreException}. Thread-safe.
 */
public final class ScriptExecutor implements Store, HoldingStore {
  public static final LongSupplier SERVER_CLOCK = () -> -1;

  private static final int RESENDS = 2;

  /** Makes collisions of random holder ids unlikely; each id is exact in a double. */
  private static final long HOLDER_BOUND = 1L << 48;

  private static final CompletionStage<PlanResult> NO_OUTCOMES =
      CompletableFuture.completedStage(new PlanResult(List.of(), Source.STORE));

  private final RedisConnection connection;
  private final RedisKeys keys;
  private final LongSupplier clock;
  private final Ticker localClock;
  private final long holder;
  private final AtomicLong holdRequests = new AtomicLong();
  private final RoundTripListener roundTrips;
  private final LongSupplier nanos;
  private final ConcurrentHashMap<Integer, Batcher> batchers = new ConcurrentHashMap<>();
  private final DeadlineSweeper sweeper;
  private final CrossSlotPlan crossSlotPlans;

  /** The last measured difference of the server's clock to the local one, in microseconds. */
  private volatile long clockOffset;

  /**
   * Creates an executor with default settings.
   *
   * @param clock the time of decisions; {@link #SERVER_CLOCK} except in tests
   */
  public ScriptExecutor(
      RedisConnection connection, RedisKeys keys, Duration deadline, LongSupplier clock) {
    this(connection, keys, deadline, clock, RoundTripListener.NONE);
  }

  public ScriptExecutor(
      RedisConnection connection,
      RedisKeys keys,
      Duration deadline,
      LongSupplier clock,
      RoundTripListener roundTrips) {
    this(connection, keys, deadline, clock, Ticker.system(), roundTrips, newHolder());
  }

  private static long newHolder() {
    return new SecureRandom().nextLong(HOLDER_BOUND);
  }

  /**
   * Creates the executor of a store.
   *
   * @param barrier the barrier of the threads that read replies
   */
  public static ScriptExecutor of(
      RedisOptions options, RedisConnection connection, ReadBarrier barrier) {
    var executor =
        new ScriptExecutor(
            connection,
            new RedisKeys(options.prefix()),
            options.deadline(),
            SERVER_CLOCK,
            Ticker.system(),
            options.roundTripListener(),
            newHolder(),
            options.warmUpCalls(),
            barrier,
            System::nanoTime);
    executor.sweeper.start();
    return executor;
  }

  /**
   * Creates an executor without threads: the test runs the {@link #sweeper}, and callers do not
   * block.
   *
   * @param nanos the monotonic clock of this instance
   */
  public static ScriptExecutor forTesting(
      RedisConnection connection,
      RedisKeys keys,
      Duration deadline,
      Ticker localClock,
      long holder,
      LongSupplier nanos) {
    return new ScriptExecutor(
        connection,
        keys,
        deadline,
        SERVER_CLOCK,
        localClock,
        RoundTripListener.NONE,
        holder,
        0,
        ReadBarrier.NONE,
        nanos);
  }

  /**
   * Creates an executor.
   *
   * @param localClock the clock of this instance, from which the server time is estimated
   * @param holder the id of this instance as a holder of permits
   */
  public ScriptExecutor(
      RedisConnection connection,
      RedisKeys keys,
      Duration deadline,
      LongSupplier clock,
      Ticker localClock,
      RoundTripListener roundTrips,
      long holder) {
    this(
        connection,
        keys,
        deadline,
        clock,
        localClock,
        roundTrips,
        holder,
        0,
        ReadBarrier.NONE,
        System::nanoTime);
    sweeper.start();
  }

  private ScriptExecutor(
      RedisConnection connection,
      RedisKeys keys,
      Duration deadline,
      LongSupplier clock,
      Ticker localClock,
      RoundTripListener roundTrips,
      long holder,
      int warmUpCalls,
      ReadBarrier barrier,
      LongSupplier nanos) {
    this.connection = connection;
    this.keys = keys;
    this.clock = clock;
    this.localClock = localClock;
    this.holder = holder;
    this.roundTrips = roundTrips;
    this.nanos = nanos;
    this.sweeper = new DeadlineSweeper(deadline, warmUpCalls, batchers.values(), barrier, nanos);
    var returns = new ReturnPublisher(keys, connection::publishReturn);
    this.crossSlotPlans =
        new CrossSlotPlan(
            this::submit, this::hashSlot, deadline, nanos, sweeper::isLate, returns::returned);
  }

  /** Returns the sweeper that ends waits at their deadline. */
  public DeadlineSweeper sweeper() {
    return sweeper;
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
        : submit(new ScriptCommand.PlanCommand(plan, commit));
  }

  private boolean spansSlots(Plan plan) {
    var charges = plan.charges();
    for (int i = 1; i < charges.size(); i++) {
      if (hashSlot(charges.get(i)) != hashSlot(charges.getFirst())) return true;
    }
    return false;
  }

  @Override
  public boolean renew(Charge charge) {
    return charge.limit() instanceof Concurrency
        && await(submit(ScriptCommand.slotOperation(charge, ScriptCommand.SlotOperation.RENEW)));
  }

  @Override
  public boolean release(Charge charge) {
    return charge.limit() instanceof Concurrency
        && await(submit(ScriptCommand.slotOperation(charge, ScriptCommand.SlotOperation.RELEASE)));
  }

  /** Gives back a charge. */
  public void giveBack(ChargeReceipt receipt) {
    await(submit(new ScriptCommand.GiveBack(receipt)));
  }

  @Override
  public CompletionStage<HoldResult> hold(Charge charge, Usage usage, long want, long lease) {
    return submit(
        ScriptCommand.hold(
            charge,
            new HoldRequest(
                holder, holdRequests.incrementAndGet(), usage, charge.cost(), want, lease)));
  }

  @Override
  public CompletionStage<ReportResult> report(Charge charge) {
    return submit(ScriptCommand.report(charge));
  }

  /**
   * Charges permits that were admitted while Redis was unavailable. If the limit cannot be charged
   * beyond its capacity (leaky bucket, rolling window), charges as many as are available.
   */
  public CompletionStage<?> chargeSpent(Charge charge) {
    if (charge.limit() instanceof Holdable) return report(charge);
    return submit(new ScriptCommand.ChargesCommand(List.of(charge), true))
        .thenCompose(reply -> {
          var outcome = reply.outcomes().getFirst();
          long available = outcome.remaining();
          if (!(outcome instanceof Refused) || available == 0) {
            return CompletableFuture.completedStage(reply);
          }
          var partial = new Charge(charge.counter(), charge.key(), available, charge.holder());
          return submit(new ScriptCommand.ChargesCommand(List.of(partial), true));
        });
  }

  @Override
  public void reset(Counter counter, String key) {
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
    sweeper.close();
    connection.close();
  }

  int hashSlot(Charge charge) {
    return connection.hashSlot(charge.key());
  }

  /** Submits a command to the batcher of its hash slot. */
  public <T> CompletionStage<T> submit(ScriptCommand<T> command) {
    batchers
        .computeIfAbsent(hashSlot(command.charge()), number -> new Batcher(this::send, nanos))
        .submit(command);
    return command;
  }

  private void send(Batcher.Call call) {
    try {
      var batch = new Batch(keys);
      for (var command : call.commands) command.writeTo(batch);
      var replied = decide(batch, serverTime(), RESENDS);
      sweeper.recordSend(call.since);
      var unused =
          replied.whenComplete((reply, problem) -> {
            long took = nanos.getAsLong() - call.since;
            if (problem == null) {
              sweeper.recordReply();
              call.complete(reply);
            } else {
              call.fail(asStoreException(problem));
            }
            roundTrips.onRoundTrip(call.commands.size(), took); // last, so that it delays no caller
          });
    } catch (RuntimeException e) {
      call.fail(new StoreException(Kind.OTHER, "the batch could not be sent: " + e, e));
    }
  }

  /**
   * Sends a batch with the ends of calendar windows around {@code estimate}. A server whose clock
   * is outside of these executes nothing and returns its time instead. The batch is then sent again
   * with the ends around that time, and the clock offset is kept for later batches.
   */
  private CompletionStage<byte[]> decide(Batch batch, long estimate, int resends) {
    var reply = connection.decide(batch.keys(), batch.argument(clock.getAsLong(), estimate));
    if (!batch.hasCalendar()) return reply;
    return reply.thenCompose(numbers -> {
      long serverTime = -new MessagePackReader(numbers).next();
      if (serverTime <= 0) return CompletableFuture.completedStage(numbers);
      clockOffset = serverTime - localClock.micros();
      return resends > 0
          ? decide(batch, serverTime, resends - 1)
          : CompletableFuture.failedStage(
              new StoreException(
                  Kind.OTHER,
                  "the clock of Redis moved by more than a calendar window on each attempt",
                  null));
    });
  }

  /** Returns the estimated time on the server, in microseconds. */
  private long serverTime() {
    long fixed = clock.getAsLong();
    return fixed >= 0 ? fixed : localClock.micros() + clockOffset;
  }

  /** Waits until the deadline, then until the {@link DeadlineSweeper} ends the wait. */
  private <T> T await(CompletionStage<T> stage) {
    var future = stage.toCompletableFuture();
    long since = nanos.getAsLong();
    try {
      try {
        return future.get(sweeper.deadline(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        sweeper.awaitDeadline(future, since);
      }
      return future.get(sweeper.maxWait(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw PendingReply.abandon(
          future, DeadlineSweeper.timeout(Duration.ofNanos(sweeper.maxWait())));
    } catch (ExecutionException e) {
      throw asStoreException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      var problem = new StoreException(Kind.INTERRUPTED, "the caller was interrupted", e);
      throw PendingReply.abandon(future, problem);
    }
  }

  private static StoreException asStoreException(Throwable problem) {
    var cause = LettuceErrors.rootOf(problem);
    return cause instanceof StoreException storeException
        ? storeException
        : new StoreException(Kind.OTHER, String.valueOf(cause), cause);
  }
}
