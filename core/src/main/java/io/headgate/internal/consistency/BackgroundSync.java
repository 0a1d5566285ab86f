package io.headgate.internal.consistency;

import io.headgate.internal.consistency.HoldingStore.HoldResult;
import io.headgate.rule.Charge;
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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends reports, renewals and releases to the store in the background. Also sweeps the local
 * counters and ages the hot key sketch. Thread-safe, except that {@link #run} is called by one
 * thread at a time.
 */
final class BackgroundSync {
  /** How often the hot key sketch is halved. */
  static final double HALVING_INTERVAL_SECONDS = 1;

  /** The number of requests per second from which on a counter is hot. */
  static final double HOT_PER_SECOND = 50;

  /**
   * The number of reports and releases in flight, over all failure domains: enough for them to
   * share batches, and too few to delay checks.
   */
  private static final int MAX_IN_FLIGHT = 32;

  private static final int MIN_IN_FLIGHT_PER_DOMAIN = 2;
  private static final long SWEEP_INTERVAL = 50_000_000;
  private static final long COPY_SWEEP_INTERVAL = 1_000_000_000;
  private static final long HALVING_INTERVAL = (long) (HALVING_INTERVAL_SECONDS * 1e9);
  private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

  private final LocalCounterTable table;
  private final HoldingStore store;
  private final HotKeySketch hotKeys;
  private final Duration syncInterval;
  private final LongSupplier nanos;
  private final FailureDomains domains;
  private final SyncQueue[] queues;
  private final ReportTimer reportTimer = new ReportTimer(this::enqueueReport, this::wakeAt);
  private final ScheduledThreadPoolExecutor thread;
  private final AtomicBoolean sendScheduled = new AtomicBoolean();
  private final Set<CompletableFuture<?>> inFlight = ConcurrentHashMap.newKeySet();
  private volatile boolean started; // false if a test calls run
  private volatile boolean closed;
  private long sweptAt;
  private long copiesSweptAt;
  private long halvedAt;

  BackgroundSync(
      LocalCounterTable table,
      HoldingStore store,
      HotKeySketch hotKeys,
      FailureDomains domains,
      Duration syncInterval,
      LongSupplier nanos) {
    this.table = table;
    this.store = store;
    this.hotKeys = hotKeys;
    this.domains = domains;
    this.syncInterval = syncInterval;
    this.nanos = nanos;
    this.sweptAt = nanos.getAsLong();
    this.copiesSweptAt = sweptAt;
    this.halvedAt = sweptAt;
    this.queues = new SyncQueue[domains.count()];
    int maxInFlight = Math.max(MIN_IN_FLIGHT_PER_DOMAIN, MAX_IN_FLIGHT / domains.count());
    for (int i = 0; i < queues.length; i++) queues[i] = newQueue(maxInFlight);
    this.thread =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("headgate-sync").factory());
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false); // close sends the reports
  }

  private SyncQueue newQueue(int maxInFlight) {
    return new SyncQueue(maxInFlight, this::send, this::sendSoon);
  }

  /** Starts a thread that calls {@link #run} at the sync interval. */
  void start() {
    started = true;
    var unused =
        thread.scheduleAtFixedRate(
            this::run, syncInterval.toNanos(), syncInterval.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Runs one round of reports, releases and sweeps. Not for concurrent calls. */
  void run() {
    try {
      for (var queue : queues) queue.startRound();
      long now = nanos.getAsLong();
      if (now - sweptAt >= SWEEP_INTERVAL) {
        sweptAt = now;
        sweep(now);
      }
      if (now - halvedAt >= HALVING_INTERVAL) {
        halvedAt = now;
        hotKeys.halve();
      }
    } catch (RuntimeException e) {
      // The executor cancels the schedule if a round throws.
    }
  }

  /** Returns the time between two rounds. */
  Duration syncInterval() {
    return syncInterval;
  }

  /** Returns the queue of the failure domain that stores the counters of a key. */
  SyncQueue queueOf(String key) {
    return queues[queues.length == 1 ? 0 : domains.domainOf(key)];
  }

  /** Requests the state of a new local copy before the next round. */
  void syncSoon(LocalCopy copy, SyncQueue queue) {
    queue.enqueueUrgent(copy);
    sendSoon();
  }

  private void sendSoon() {
    if (!started || closed || !sendScheduled.compareAndSet(false, true)) return;
    try {
      thread.execute(() -> {
        sendScheduled.set(false);
        sendDue();
      });
    } catch (RejectedExecutionException e) {
      sendScheduled.set(false); // closing
    }
  }

  /** Sends what is due before the next round. */
  void sendDue() {
    reportTimer.runDue(nanos.getAsLong());
    for (var queue : queues) queue.sendDue();
  }

  /** Returns when {@link #sendDue} is to be called next; {@link Long#MAX_VALUE} for never. */
  long nextDeadline() {
    return reportTimer.next();
  }

  private void wakeAt(long time) {
    if (!started || closed) return;
    try {
      var unused = thread.schedule(this::sendDue, time - nanos.getAsLong(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      // Closing, which reports all leases.
    }
  }

  private void enqueueReport(PermitLease lease) {
    queueOf(lease.chargeAtZeroCost().key()).enqueueUrgent(lease);
  }

  private @Nullable CompletionStage<?> send(LocalCounter counter) {
    return switch (counter) {
      case LocalCopy copy -> report(copy);
      case PermitLease lease -> report(lease);
    };
  }

  private @Nullable CompletionStage<?> report(LocalCopy copy) {
    var report = copy.prepareReport();
    if (report == null) return null; // queued again when the report in flight completes
    var queue = queueOf(report.charge().key());
    CompletionStage<HoldingStore.ReportResult> reply;
    try {
      reply = store.report(report.charge());
    } catch (RuntimeException e) {
      reply = CompletableFuture.failedStage(e);
    }
    return track(
        reply.handle((known, problem) -> {
          long now = nanos.getAsLong();
          if (problem == null) {
            queue.succeeded();
            copy.reported(report, known, now);
            if (!copy.isSettled()) enqueue(copy, queue);
          } else {
            queue.failed(now);
            copy.reportFailed(report, isUnsent(problem), now);
            if (!closed) queue.enqueue(copy); // the next reply shows that the store has recovered
          }
          return known;
        }));
  }

  private void enqueue(LocalCounter counter, SyncQueue queue) {
    if (closed) queue.enqueueUrgent(counter);
    else queue.enqueue(counter);
  }

  /** Keeps the stage in {@link #inFlight} until it completes. */
  @SuppressWarnings("CollectionUndefinedEquality") // compared by identity
  private <T> CompletionStage<T> track(CompletionStage<T> stage) {
    var future = stage.toCompletableFuture();
    inFlight.add(future);
    var unused = future.whenComplete((done, problem) -> inFlight.remove(future));
    return stage;
  }

  private static boolean isUnsent(Throwable problem) {
    var cause = problem instanceof CompletionException ? problem.getCause() : problem;
    return cause instanceof StoreException known && known.isUnsent();
  }

  /** Sends a request for permits, and applies the reply to the lease. */
  CompletionStage<HoldResult> send(PermitLease lease, Charge charge, PermitLease.Request request) {
    CompletionStage<HoldResult> reply;
    try {
      reply = store.hold(charge, request.usage(), request.want(), request.duration());
    } catch (RuntimeException e) {
      reply = CompletableFuture.failedStage(e);
    }
    return track(
        reply.whenComplete((taken, problem) -> {
          if (problem == null) {
            lease.granted(request, taken, nanos.getAsLong());
            reportTimer.add(lease);
          } else lease.requestFailed(isUnsent(problem));
          if (closed && request.want() > 0) releaseLate(lease);
        }));
  }

  /** Releases permits granted by a reply that arrived after {@link #close}. */
  private void releaseLate(PermitLease lease) {
    var queue = queueOf(lease.chargeAtZeroCost().key());
    queue.enqueueUrgent(lease);
    queue.sendDue();
  }

  private @Nullable CompletionStage<?> report(PermitLease lease) {
    long now = nanos.getAsLong();
    var request = closed ? lease.prepareRelease(now) : lease.prepareReport(now);
    if (request == null) return null;
    return send(lease, lease.chargeAtZeroCost(), request)
        .exceptionally(problem -> new HoldResult(lease.peek(now), 0, 0));
  }

  private void sweep(long now) {
    boolean copies = now - copiesSweptAt >= COPY_SWEEP_INTERVAL;
    if (copies) copiesSweptAt = now;
    for (var counter : table.all()) {
      switch (counter) {
        case PermitLease lease -> {
          if (lease.isExpired(now)) table.remove(lease);
          else if (lease.isIdle(now)) queueOf(lease.chargeAtZeroCost().key()).enqueueUrgent(lease);
        }
        case LocalCopy copy -> {
          if (copies && copy.isExpired(now)) table.remove(copy);
        }
      }
    }
    if (table.isFull()) evict(now);
    sendDue();
  }

  /** Evicts the local copies without unreported permits that have been unused for longest. */
  private void evict(long now) {
    record Idle(LocalCopy copy, long time) {}
    var idle = new ArrayList<Idle>();
    for (var counter : table.all()) {
      if (!(counter instanceof LocalCopy copy)) continue;
      long time = copy.idleTime(now);
      if (time >= SWEEP_INTERVAL) idle.add(new Idle(copy, time));
    }
    idle.sort(Comparator.comparingLong(Idle::time).reversed());
    int count = Math.min(idle.size(), table.excess());
    for (int i = 0; i < count; i++) table.evict(idle.get(i).copy);
  }

  /**
   * Reports all counts and releases all holds, within {@link #CLOSE_TIMEOUT}. A hold that is not
   * released by then ends when its lease expires. A counter with a report in flight sends the next
   * one when that completes.
   */
  void close() {
    if (closed) return;
    closed = true;
    thread.close(); // waits until the thread has finished sending; it does not wait for replies
    for (var counter : table.all()) {
      if (!counter.isSettled()) queueOf(counter.chargeAtZeroCost().key()).enqueueUrgent(counter);
    }
    for (var queue : queues) queue.startRound();
    if (!started) return; // the test completes the replies
    long until = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
    while (!isIdle() && System.nanoTime() - until < 0 && await(until)) {}
  }

  private boolean isIdle() {
    for (var queue : queues) {
      if (!queue.isIdle()) return false;
    }
    return inFlight.isEmpty();
  }

  /** Waits for all stages in flight; returns false on a timeout or if the thread is interrupted. */
  private boolean await(long until) {
    try {
      CompletableFuture.allOf(inFlight.toArray(CompletableFuture[]::new))
          .get(until - System.nanoTime(), TimeUnit.NANOSECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      return true; // others may still be in flight
    }
  }
}
