package io.headgate.near;

import io.headgate.rule.Charge;
import io.headgate.store.SharedCounts;
import io.headgate.store.SharedCounts.Taken;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/** What has to be said to the store without anybody waiting for it. */
final class Errands {
  static final double HALVED_EVERY_SECONDS = 1;
  static final double HOT_PER_SECOND = 50;

  private static final long SWEEP_EVERY = 50_000_000;
  private static final long HALVE_EVERY = (long) (HALVED_EVERY_SECONDS * 1e9);
  private static final long UNHEARD_FOR = 1_000_000_000;
  private static final Duration FAREWELL = Duration.ofMillis(500);

  private final NearTable table;
  private final SharedCounts counts;
  private final HotKeys hot;
  private final Duration reportEvery;
  private final LongSupplier nanos;
  private final ScheduledExecutorService thread;
  private final AtomicBoolean expected = new AtomicBoolean();
  private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();
  private volatile boolean failing;
  private volatile long failingSince;
  private volatile boolean started; // else they are run by hand
  private volatile boolean closed;
  private long sweptAt;
  private long halvedAt;

  Errands(
      NearTable table, SharedCounts counts, HotKeys hot, Duration reportEvery, LongSupplier nanos) {
    this.table = table;
    this.counts = counts;
    this.hot = hot;
    this.reportEvery = reportEvery;
    this.nanos = nanos;
    this.sweptAt = nanos.getAsLong();
    this.halvedAt = sweptAt;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("headgate-near").factory());
  }

  void start() {
    started = true;
    var unused =
        thread.scheduleAtFixedRate(
            this::run, reportEvery.toNanos(), reportEvery.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** One round; not by two threads at once. */
  void run() {
    try {
      report();
      long now = nanos.getAsLong();
      if (now - sweptAt >= SWEEP_EVERY) {
        sweptAt = now;
        sweep(now);
      }
      if (now - halvedAt >= HALVE_EVERY) {
        halvedAt = now;
        hot.halve();
      }
    } catch (RuntimeException e) {
      // The next round comes; a thread that ended would end all of them.
    }
  }

  /** Something was counted that the store should hear of, or tell about, before its time. */
  void expect() {
    if (!started || closed || !expected.compareAndSet(false, true)) return;
    try {
      thread.execute(this::reportSoon);
    } catch (RejectedExecutionException e) {
      expected.set(false); // closing
    }
  }

  private void reportSoon() {
    expected.set(false);
    report();
  }

  /**
   * Whether the store has not been heard of for so long that what is known here is worth little.
   */
  boolean isUnheard() {
    return failing && nanos.getAsLong() - failingSince > UNHEARD_FOR;
  }

  private List<CompletableFuture<?>> report() {
    var told = new ArrayList<CompletableFuture<?>>();
    for (var entry : table.all()) {
      if (!(entry.counter() instanceof Replica replica)) continue;
      long spent = replica.report();
      if (spent >= 0) told.add(report(replica, entry.look(), spent).toCompletableFuture());
    }
    return told;
  }

  private CompletionStage<?> report(Replica replica, Charge look, long spent) {
    var charge = new Charge(look.counter(), look.key(), spent, 0);
    return noted(
        counts
            .report(charge)
            .handle((known, problem) -> {
              if (problem == null) {
                failing = false;
                replica.heard(known, nanos.getAsLong());
              } else {
                replica.unheard(spent, isSurelyUnheard(problem));
                if (!failing) {
                  failingSince = nanos.getAsLong();
                  failing = true;
                }
              }
              return known;
            }));
  }

  /** Keeps it in mind until it is over. No two are the same. */
  @SuppressWarnings("CollectionUndefinedEquality")
  private <T> CompletionStage<T> noted(CompletionStage<T> errand) {
    var future = errand.toCompletableFuture();
    underWay.add(future);
    var unused = future.whenComplete((done, problem) -> underWay.remove(future));
    return errand;
  }

  private static boolean isSurelyUnheard(Throwable problem) {
    var cause = problem instanceof CompletionException ? problem.getCause() : problem;
    return cause instanceof StoreException known && known.kind() == Kind.OVERLOADED;
  }

  /** Asks about a slice, and sees to it that the slice hears what came of it. */
  CompletionStage<Taken> take(Slice slice, Charge charge, Slice.Question question) {
    CompletionStage<Taken> asked;
    try {
      asked = counts.take(charge, question.spent(), question.want(), question.lease());
    } catch (RuntimeException e) {
      asked = CompletableFuture.failedStage(e);
    }
    return noted(
        asked.whenComplete((taken, problem) -> {
          if (problem == null) slice.answered(question, taken, nanos.getAsLong());
          else slice.unanswered();
        }));
  }

  private void sweep(long now) {
    for (var entry : table.all()) {
      switch (entry.counter()) {
        case Slice slice -> {
          if (slice.isOver(now)) {
            table.remove(entry);
          } else if (slice.isIdle(now)) {
            var unused = giveUp(slice, entry.look(), now);
          }
        }
        case Replica replica -> {
          if (replica.isOver(now)) table.remove(entry);
        }
      }
    }
  }

  private CompletableFuture<?> giveUp(Slice slice, Charge look, long now) {
    var question = slice.giveUp(now);
    return question == null
        ? CompletableFuture.completedFuture(null)
        : take(slice, look, question)
            .exceptionally(problem -> new Taken(slice.standing(now), 0))
            .toCompletableFuture();
  }

  /**
   * Says goodbye, but not for long: what is not heard ends with its lease. What is under way comes
   * first, since a counter says one thing at a time.
   */
  void close() {
    if (closed) return;
    closed = true;
    long until = System.nanoTime() + FAREWELL.toNanos();
    thread.close(); // what it has begun to say it ends; it waits for nobody
    await(underWay, until);
    var last = new ArrayList<>(report());
    long now = nanos.getAsLong();
    for (var entry : table.all()) {
      if (entry.counter() instanceof Slice slice) last.add(giveUp(slice, entry.look(), now));
    }
    await(last, until);
  }

  /** Whoever is interrupted waits no more, but what is to be said is said. */
  private static void await(Collection<CompletableFuture<?>> errands, long until) {
    try {
      CompletableFuture.allOf(errands.toArray(CompletableFuture[]::new))
          .get(until - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // It ends with its lease.
    }
  }
}
