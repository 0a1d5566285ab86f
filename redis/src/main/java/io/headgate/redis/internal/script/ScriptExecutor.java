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
 * Asks Redis, and only Redis: what it can't say within the deadline fails with a {@link
 * StoreException}.
 */
public final class ScriptExecutor implements Store, HoldingStore {
  public static final LongSupplier SERVER_CLOCK = () -> -1;

  private static final int RESENDS = 2;

  /** So many that no two instances draw the same number, and each is exact in a double. */
  private static final long HOLDERS = 1L << 48;

  private static final CompletionStage<PlanResult> NOTHING =
      CompletableFuture.completedStage(new PlanResult(List.of(), Source.STORE));

  private final RedisConnection link;
  private final RedisKeys keys;
  private final LongSupplier clock;
  private final Ticker here;
  private final long holder;
  private final AtomicLong takes = new AtomicLong();
  private final RoundTripListener calls;
  private final LongSupplier nanos;
  private final ConcurrentHashMap<Integer, Batcher> lanes = new ConcurrentHashMap<>();
  private final DeadlineSweeper watch;
  private final CrossSlotPlan spanning;

  /** What the server's clock was ahead of ours when a calendar window last showed it, in µs. */
  private volatile long clockOffset;

  /**
   * @param clock the time to go by; {@link #SERVER_CLOCK} but for tests
   */
  public ScriptExecutor(
      RedisConnection link, RedisKeys keys, Duration deadline, LongSupplier clock) {
    this(link, keys, deadline, clock, RoundTripListener.NONE);
  }

  public ScriptExecutor(
      RedisConnection link,
      RedisKeys keys,
      Duration deadline,
      LongSupplier clock,
      RoundTripListener calls) {
    this(link, keys, deadline, clock, Ticker.system(), calls, newHolder());
  }

  private static long newHolder() {
    return new SecureRandom().nextLong(HOLDERS);
  }

  /**
   * @param barrier to the threads by which the link reads
   */
  public static ScriptExecutor of(RedisOptions options, RedisConnection link, ReadBarrier barrier) {
    var engine =
        new ScriptExecutor(
            link,
            new RedisKeys(options.prefix()),
            options.deadline(),
            SERVER_CLOCK,
            Ticker.system(),
            options.calls(),
            newHolder(),
            options.warmUpCalls(),
            barrier,
            System::nanoTime);
    engine.watch.start();
    return engine;
  }

  /**
   * Without a thread: {@link #watch} is run by hand, and callers do not block.
   *
   * @param nanos the steady clock of this instance
   */
  public static ScriptExecutor forTesting(
      RedisConnection link,
      RedisKeys keys,
      Duration deadline,
      Ticker here,
      long holder,
      LongSupplier nanos) {
    return new ScriptExecutor(
        link,
        keys,
        deadline,
        SERVER_CLOCK,
        here,
        RoundTripListener.NONE,
        holder,
        0,
        ReadBarrier.NONE,
        nanos);
  }

  /**
   * @param here the clock of this instance, from which the server's is estimated
   * @param holder by which the permits that this instance holds are known
   */
  public ScriptExecutor(
      RedisConnection link,
      RedisKeys keys,
      Duration deadline,
      LongSupplier clock,
      Ticker here,
      RoundTripListener calls,
      long holder) {
    this(link, keys, deadline, clock, here, calls, holder, 0, ReadBarrier.NONE, System::nanoTime);
    watch.start();
  }

  private ScriptExecutor(
      RedisConnection link,
      RedisKeys keys,
      Duration deadline,
      LongSupplier clock,
      Ticker here,
      RoundTripListener calls,
      long holder,
      int warmUpCalls,
      ReadBarrier barrier,
      LongSupplier nanos) {
    this.link = link;
    this.keys = keys;
    this.clock = clock;
    this.here = here;
    this.holder = holder;
    this.calls = calls;
    this.nanos = nanos;
    this.watch = new DeadlineSweeper(deadline, warmUpCalls, lanes.values(), barrier, nanos);
    var returns = new ReturnPublisher(keys, link::announceReturn);
    this.spanning =
        new CrossSlotPlan(
            this::ask, this::laneOf, deadline, nanos, watch::isLate, returns::returned);
  }

  /** Ends waits at their deadline. */
  public DeadlineSweeper watch() {
    return watch;
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

  private CompletionStage<PlanResult> run(Plan plan, boolean keep) {
    if (plan.charges().isEmpty()) return NOTHING;
    return spans(plan) ? spanning.run(plan, keep) : ask(new ScriptCommand.OfPlan(plan, keep));
  }

  private boolean spans(Plan plan) {
    var charges = plan.charges();
    for (int i = 1; i < charges.size(); i++) {
      if (laneOf(charges.get(i)) != laneOf(charges.getFirst())) return true;
    }
    return false;
  }

  @Override
  public boolean renew(Charge charge) {
    return charge.limit() instanceof Concurrency
        && await(ask(ScriptCommand.change(charge, ScriptCommand.Change.RENEW)));
  }

  @Override
  public boolean release(Charge charge) {
    return charge.limit() instanceof Concurrency
        && await(ask(ScriptCommand.change(charge, ScriptCommand.Change.RELEASE)));
  }

  /** Undoes a charge that was made. */
  public void giveBack(ChargeReceipt receipt) {
    await(ask(new ScriptCommand.GiveBack(receipt)));
  }

  @Override
  public CompletionStage<Taken> take(Charge charge, Usage usage, long want, long lease) {
    return ask(
        ScriptCommand.take(
            charge,
            new HoldRequest(holder, takes.incrementAndGet(), usage, charge.cost(), want, lease)));
  }

  @Override
  public CompletionStage<Known> report(Charge charge) {
    return ask(ScriptCommand.report(charge));
  }

  /**
   * Charges permits that were admitted without Redis. Where the limit keeps no more than it has
   * room for (a leaky bucket, a rolling window), charges as many as there is room for.
   */
  public CompletionStage<?> chargeSpent(Charge charge) {
    if (charge.limit() instanceof Holdable) return report(charge);
    return ask(new ScriptCommand.OfCharges(List.of(charge), true))
        .thenCompose(reply -> {
          var outcome = reply.outcomes().getFirst();
          long room = outcome.remaining();
          if (!(outcome instanceof Refused) || room == 0) {
            return CompletableFuture.completedStage(reply);
          }
          var rest = new Charge(charge.counter(), charge.key(), room, charge.holder());
          return ask(new ScriptCommand.OfCharges(List.of(rest), true));
        });
  }

  @Override
  public void reset(Counter counter, String key) {
    await(link.forget(keys.of(counter, key).getBytes(StandardCharsets.UTF_8)));
  }

  @Override
  public long trackedKeys() {
    return await(link.size());
  }

  /** Whether nothing is on its way, and nobody waits. */
  public boolean isIdle() {
    return lanes.values().stream().allMatch(Batcher::isIdle);
  }

  @Override
  public void close() {
    watch.close();
    link.close();
  }

  int laneOf(Charge charge) {
    return link.laneOf(charge.key());
  }

  public <T> CompletionStage<T> ask(ScriptCommand<T> ask) {
    lanes
        .computeIfAbsent(laneOf(ask.charge()), number -> new Batcher(this::send, nanos))
        .submit(ask);
    return ask;
  }

  private void send(Batcher.Call call) {
    try {
      var batch = new Batch(keys);
      for (var ask : call.asks) ask.writeTo(batch);
      var answer = decide(batch, serverTime(), RESENDS);
      watch.handedOver(call.since);
      var unused =
          answer.whenComplete((said, problem) -> {
            long took = nanos.getAsLong() - call.since;
            if (problem == null) {
              watch.answered();
              call.end(said);
            } else {
              call.end(asStoreException(problem));
            }
            calls.ended(call.asks.size(), took); // last: whatever it does, no caller waits for it
          });
    } catch (RuntimeException e) {
      call.end(new StoreException(Kind.OTHER, "the batch could not be sent: " + e, e));
    }
  }

  /**
   * Sends a batch with the ends of calendar windows around {@code estimate}. A server whose clock
   * is outside of these decides nothing and returns its time instead. The batch is then sent again
   * with the ends around that, and the difference is remembered for the next ones.
   */
  private CompletionStage<byte[]> decide(Batch batch, long estimate, int resends) {
    var reply = link.decide(batch.keys(), batch.argument(clock.getAsLong(), estimate));
    if (!batch.hasCalendar()) return reply;
    return reply.thenCompose(numbers -> {
      long serverTime = -new MessagePackReader(numbers).next();
      if (serverTime <= 0) return CompletableFuture.completedStage(numbers);
      clockOffset = serverTime - here.micros();
      return resends > 0
          ? decide(batch, serverTime, resends - 1)
          : CompletableFuture.failedStage(
              new StoreException(
                  Kind.OTHER, "Redis's clock changed by more than a window at each try", null));
    });
  }

  /** The time by which the server decides, as far as it is known here. */
  private long serverTime() {
    long fixed = clock.getAsLong();
    return fixed >= 0 ? fixed : here.micros() + clockOffset;
  }

  /** Waits until the deadline; from then on until the {@link DeadlineSweeper} has judged it. */
  private <T> T await(CompletionStage<T> stage) {
    var future = stage.toCompletableFuture();
    long since = nanos.getAsLong();
    try {
      try {
        return future.get(watch.deadline(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        watch.judge(future, since);
      }
      return future.get(watch.longest(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw PendingReply.abandon(future, DeadlineSweeper.late(Duration.ofNanos(watch.longest())));
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
    return cause instanceof StoreException ours
        ? ours
        : new StoreException(Kind.OTHER, String.valueOf(cause), cause);
  }
}
