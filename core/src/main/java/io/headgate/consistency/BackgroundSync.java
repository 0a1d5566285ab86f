package io.headgate.consistency;

import io.headgate.rule.Charge;
import io.headgate.store.HoldingStore;
import io.headgate.store.HoldingStore.Taken;
import io.headgate.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
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
import org.jspecify.annotations.Nullable;

/** Sends reports, renewals and releases to the store in the background. */
final class BackgroundSync {
  static final double HALVED_EVERY_SECONDS = 1;
  static final double HOT_PER_SECOND = 50;

  /** Of reports and releases, in all: enough to share calls, and too few to delay checks. */
  private static final int MOST_AT_ONCE = 32;

  private static final int LEAST_AT_ONCE = 2;
  private static final long SWEEP_EVERY = 50_000_000;
  private static final long SWEEP_COPIES_EVERY = 1_000_000_000;
  private static final long HALVE_EVERY = (long) (HALVED_EVERY_SECONDS * 1e9);
  private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

  private final LocalCounterTable table;
  private final HoldingStore counts;
  private final HotKeySketch hot;
  private final Duration syncInterval;
  private final LongSupplier nanos;
  private final FailureDomains domains;
  private final SyncQueue[] outboxes;
  private final ScheduledExecutorService thread;
  private final AtomicBoolean expected = new AtomicBoolean();
  private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();
  private volatile boolean started; // else they are run by hand
  private volatile boolean closed;
  private long sweptAt;
  private long copiesSweptAt;
  private long halvedAt;

  BackgroundSync(
      LocalCounterTable table,
      HoldingStore counts,
      HotKeySketch hot,
      FailureDomains domains,
      Duration syncInterval,
      LongSupplier nanos) {
    this.table = table;
    this.counts = counts;
    this.hot = hot;
    this.domains = domains;
    this.syncInterval = syncInterval;
    this.nanos = nanos;
    this.sweptAt = nanos.getAsLong();
    this.copiesSweptAt = sweptAt;
    this.halvedAt = sweptAt;
    this.outboxes = new SyncQueue[domains.count()];
    int atOnce = Math.max(LEAST_AT_ONCE, MOST_AT_ONCE / domains.count());
    for (int i = 0; i < outboxes.length; i++) outboxes[i] = new SyncQueue(atOnce, this::send);
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("headgate-sync").factory());
  }

  void start() {
    started = true;
    var unused =
        thread.scheduleAtFixedRate(
            this::run, syncInterval.toNanos(), syncInterval.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** One round; not by two threads at once. */
  void run() {
    try {
      for (var outbox : outboxes) outbox.round();
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

  /** The outbox of the failure domain that keeps a counter's state. */
  SyncQueue outboxOf(String key) {
    return outboxes[outboxes.length == 1 ? 0 : domains.domainOf(key)];
  }

  /** A counter is new here: the store is asked about it before the next round. */
  void expect(LocalCopy replica, SyncQueue outbox) {
    outbox.urgent(replica);
    if (!started || closed || !expected.compareAndSet(false, true)) return;
    try {
      thread.execute(() -> {
        expected.set(false);
        pump();
      });
    } catch (RejectedExecutionException e) {
      expected.set(false); // closing
    }
  }

  private void pump() {
    for (var outbox : outboxes) outbox.pump();
  }

  private @Nullable CompletionStage<?> send(LocalCounter counter) {
    return switch (counter) {
      case LocalCopy replica -> report(replica);
      case PermitLease slice -> giveUp(slice);
    };
  }

  private @Nullable CompletionStage<?> report(LocalCopy replica) {
    var report = replica.report();
    if (report == null) return null; // it is enqueued again when the one under way is answered
    var outbox = outboxOf(report.charge().key());
    CompletionStage<HoldingStore.Known> sent;
    try {
      sent = counts.report(report.charge());
    } catch (RuntimeException e) {
      sent = CompletableFuture.failedStage(e);
    }
    return noted(
        sent.handle((known, problem) -> {
          long now = nanos.getAsLong();
          if (problem == null) {
            outbox.answered();
            replica.heard(report, known, now);
            if (!replica.isSettled()) enqueue(replica, outbox);
          } else {
            outbox.failed(now);
            replica.unheard(report, isUnsent(problem), now);
            if (!closed) outbox.changed(replica); // so that the next answer is noticed
          }
          return known;
        }));
  }

  private void enqueue(LocalCounter counter, SyncQueue outbox) {
    if (closed) outbox.urgent(counter);
    else outbox.changed(counter);
  }

  /** Keeps it in mind until it is over. No two are the same. */
  @SuppressWarnings("CollectionUndefinedEquality")
  private <T> CompletionStage<T> noted(CompletionStage<T> errand) {
    var future = errand.toCompletableFuture();
    underWay.add(future);
    var unused = future.whenComplete((done, problem) -> underWay.remove(future));
    return errand;
  }

  private static boolean isUnsent(Throwable problem) {
    var cause = problem instanceof CompletionException ? problem.getCause() : problem;
    return cause instanceof StoreException known && known.isUnsent();
  }

  /** Asks about a slice, and sees to it that the slice hears what came of it. */
  CompletionStage<Taken> take(PermitLease slice, Charge charge, PermitLease.Question question) {
    CompletionStage<Taken> asked;
    try {
      asked = counts.take(charge, question.usage(), question.want(), question.lease());
    } catch (RuntimeException e) {
      asked = CompletableFuture.failedStage(e);
    }
    return noted(
        asked.whenComplete((taken, problem) -> {
          if (problem == null) slice.answered(question, taken, nanos.getAsLong());
          else slice.unanswered(isUnsent(problem));
          if (closed && question.want() > 0) releaseLate(slice);
        }));
  }

  /** A question that was under way when this was closed has been answered. */
  private void releaseLate(PermitLease slice) {
    var outbox = outboxOf(slice.look().key());
    outbox.urgent(slice);
    outbox.pump();
  }

  private @Nullable CompletionStage<?> giveUp(PermitLease slice) {
    long now = nanos.getAsLong();
    var question = slice.giveUp(now);
    if (question == null) return null;
    return take(slice, slice.look(), question)
        .exceptionally(problem -> new Taken(slice.standing(now), 0, 0));
  }

  private void sweep(long now) {
    boolean copies = now - copiesSweptAt >= SWEEP_COPIES_EVERY;
    if (copies) copiesSweptAt = now;
    for (var counter : table.all()) {
      switch (counter) {
        case PermitLease slice -> {
          if (slice.isOver(now)) table.remove(slice);
          else if (slice.isIdle(now)) outboxOf(slice.look().key()).urgent(slice);
        }
        case LocalCopy replica -> {
          if (copies && replica.isOver(now)) table.remove(replica);
        }
      }
    }
    if (table.isFull()) evict(now);
    pump();
  }

  /** Makes room: of the local copies that the store knows all about, the longest unused go. */
  private void evict(long now) {
    record Idle(LocalCopy replica, long since) {}
    var idle = new ArrayList<Idle>();
    for (var counter : table.all()) {
      if (!(counter instanceof LocalCopy replica)) continue;
      long unused = replica.idle(now);
      if (unused >= SWEEP_EVERY) idle.add(new Idle(replica, unused));
    }
    idle.sort(Comparator.comparingLong(Idle::since).reversed());
    int most = Math.min(idle.size(), table.excess());
    for (int i = 0; i < most; i++) table.evict(idle.get(i).replica);
  }

  /**
   * Reports and gives back everything, within {@link #CLOSE_TIMEOUT}: a hold that is not given back
   * ends with its lease. Reports that are under way come first, since a counter sends one at a
   * time.
   */
  void close() {
    if (closed) return;
    closed = true;
    thread.close(); // what it has begun to send it ends; it waits for no answer
    for (var counter : table.all()) {
      if (!counter.isSettled()) outboxOf(counter.look().key()).urgent(counter);
    }
    for (var outbox : outboxes) outbox.round();
    if (!started) return; // by hand: answers come when they are made to
    long until = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
    while (!isIdle() && System.nanoTime() - until < 0 && await(until)) {}
  }

  private boolean isIdle() {
    for (var outbox : outboxes) {
      if (!outbox.isIdle()) return false;
    }
    return underWay.isEmpty();
  }

  /** Waits for what is under way; false if the thread is interrupted or the time is over. */
  private boolean await(long until) {
    try {
      CompletableFuture.allOf(underWay.toArray(CompletableFuture[]::new))
          .get(until - System.nanoTime(), TimeUnit.NANOSECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      return true; // another one may succeed
    }
  }
}
