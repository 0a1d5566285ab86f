package io.headgate.internal.outage;

import io.headgate.limit.FairShare;
import io.headgate.limit.Share;
import io.headgate.limit.SlotLimit;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.store.MemoryStore;
import io.headgate.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The permits that local shares admitted and that the store has not been charged for.
 *
 * <p>When the store is available again, it is charged for the permits that still count. For each
 * counter these are the permits admitted since the last report, but no more than its share has in
 * use at that time, since the others have been repaid or have left the window. Reports are sent in
 * small batches with pauses, on a thread that ends after the last report.
 *
 * <p>Each admission is reported at most once: a report without a reply is not repeated. The number
 * of counters is bounded, and admissions beyond it are not reported. Slots are not reported: they
 * are released where they were acquired.
 *
 * <p>Thread-safe.
 */
final class LocalAdmissions implements AutoCloseable {
  /** The maximum number of counters in one batch of reports. */
  static final int BATCH = 64;

  private static final int KEYS_PER_LOCAL_KEY = 10;
  private static final long PAUSE_MILLIS = 10;
  private static final long AFTER_FAILURE_MILLIS = 1_000;

  private record Key(Counter counter, String key, @Nullable Share share) {
    static Key of(Charge charge) {
      return new Key(charge.counter(), charge.key(), charge.share());
    }

    /** Uses a keyed hash: callers choose keys, and a map searches colliding records linearly. */
    @Override
    public int hashCode() {
      return Charge.hashOf(counter, key);
    }
  }

  /**
   * The admissions of one counter.
   *
   * @param whole all admitted permits, under the limit itself
   * @param share the last charge, under the share of the limit that was in force
   */
  private record Admitted(Charge whole, Charge share) {}

  private final MemoryStore local;
  private final Reporter reporter;
  private final int maxKeys;
  private final boolean forTesting;
  private final ConcurrentHashMap<Key, Admitted> admitted = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Thread thread; // guarded by lock
  private boolean closed; // guarded by lock

  LocalAdmissions(MemoryStore local, Reporter reporter, int maxLocalKeys) {
    this(local, reporter, Math.max(1, maxLocalKeys / KEYS_PER_LOCAL_KEY), false);
  }

  private LocalAdmissions(MemoryStore local, Reporter reporter, int maxKeys, boolean forTesting) {
    this.local = local;
    this.reporter = reporter;
    this.maxKeys = maxKeys;
    this.forTesting = forTesting;
  }

  /** Returns an instance that starts no thread: the test calls {@link #report}. */
  static LocalAdmissions forTesting(MemoryStore local, Reporter reporter) {
    return new LocalAdmissions(local, reporter, Integer.MAX_VALUE, true);
  }

  /**
   * Adds a charge that was made locally and not in the store.
   *
   * @param whole the charge under the limit itself
   * @param share the charge under the share of the limit
   */
  @SuppressWarnings("ReferenceEquality")
  void add(Charge whole, Charge share) {
    if (reporter == Reporter.NONE) return;
    if (whole.cost() == 0 || whole.limit() instanceof SlotLimit) return;
    var key = Key.of(whole);
    if (admitted.size() >= maxKeys && !admitted.containsKey(key)) return;
    admitted.merge(key, new Admitted(whole, share), LocalAdmissions::sum);
  }

  private static Admitted sum(Admitted earlier, Admitted later) {
    return new Admitted(
        withCost(earlier.whole.cost() + later.whole.cost(), later.whole), later.share);
  }

  private static Charge withCost(long cost, Charge charge) {
    return charge.withCost(cost);
  }

  /** Drops the admissions of a counter that has been reset. */
  void remove(Counter counter, String key) {
    if (counter.limit() instanceof FairShare) {
      admitted.keySet().removeIf(one -> one.counter.equals(counter) && one.key.equals(key));
    } else {
      admitted.remove(new Key(counter, key, null));
    }
  }

  /** Returns the number of counters with admissions to report. */
  int keys() {
    return admitted.size();
  }

  /** Starts reporting, unless it has started already or there are no admissions. */
  void start() {
    if (forTesting || admitted.isEmpty()) return;
    lock.lock();
    try {
      if (closed || thread != null) return;
      thread = Thread.ofPlatform().daemon().name("headgate-report").start(this::reportAll);
    } catch (OutOfMemoryError e) {
      // No thread can be created; reporting starts again after the next outage.
    } finally {
      lock.unlock();
    }
  }

  /** Stops reporting until {@link #start}, because the store is unavailable. */
  void stop() {
    lock.lock();
    try {
      if (thread != null) thread.interrupt();
      thread = null;
    } finally {
      lock.unlock();
    }
  }

  private void reportAll() {
    try {
      while (isCurrent()) {
        boolean done = report(BATCH);
        if (admitted.isEmpty() && finishIfEmpty()) return;
        Thread.sleep(done ? PAUSE_MILLIS : AFTER_FAILURE_MILLIS);
      }
    } catch (InterruptedException e) {
      // Stopped.
    }
  }

  @SuppressWarnings("ReferenceEquality")
  private boolean isCurrent() {
    lock.lock();
    try {
      return thread == Thread.currentThread();
    } finally {
      lock.unlock();
    }
  }

  /** Ends the current thread if it has been stopped or there are no more admissions. */
  @SuppressWarnings("ReferenceEquality")
  private boolean finishIfEmpty() {
    lock.lock();
    try {
      if (thread != Thread.currentThread())
        return true; // stopped; another thread may have been started
      if (!admitted.isEmpty()) return false;
      thread = null;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reports at most {@code max} counters, and waits for the replies.
   *
   * @return whether all of these reports succeeded
   */
  boolean report(int max) {
    return reportAsync(max).join();
  }

  /** Reports at most {@code max} counters; completes with whether all of the reports succeeded. */
  CompletableFuture<Boolean> reportAsync(int max) {
    var reports = new ArrayList<CompletableFuture<Boolean>>();
    for (var key : firstKeys(max)) {
      var entry = admitted.remove(key);
      if (entry == null) continue;
      long used = usedPermits(entry.share);
      long cost = Math.min(entry.whole.cost(), used);
      if (cost > 0)
        reports.add(report(key, new Admitted(withCost(cost, entry.whole), entry.share)));
    }
    return CompletableFuture.allOf(reports.toArray(CompletableFuture[]::new))
        .thenApply(done -> reports.stream().allMatch(CompletableFuture::join));
  }

  /** Returns the permits of a local share that are in use. */
  private long usedPermits(Charge share) {
    var outcome = local.peekAtZeroCost(share);
    return share.limit() instanceof FairShare fair
        ? fair.owed(outcome.resetAfter())
        : share.limit().capacity() - outcome.remaining();
  }

  private List<Key> firstKeys(int max) {
    var keys = new ArrayList<Key>(Math.min(max, admitted.size()));
    for (var key : admitted.keySet()) {
      if (keys.size() == max) break;
      keys.add(key);
    }
    return keys;
  }

  private CompletableFuture<Boolean> report(Key key, Admitted entry) {
    CompletableFuture<?> report;
    try {
      report = reporter.charge(entry.whole).toCompletableFuture();
    } catch (RuntimeException e) {
      report = CompletableFuture.failedFuture(e);
    }
    return report.handle((charged, problem) -> {
      if (problem != null && isUncharged(problem)) {
        admitted.merge(key, entry, (later, earlier) -> sum(earlier, later));
      }
      return problem == null;
    });
  }

  /** Returns whether the store certainly charged nothing. */
  private static boolean isUncharged(Throwable problem) {
    var cause = problem instanceof CompletionException ? problem.getCause() : problem;
    return cause instanceof StoreException known && known.isUncharged();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
    stop();
  }
}
