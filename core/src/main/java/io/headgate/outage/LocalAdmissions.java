package io.headgate.outage;

import io.headgate.limit.Concurrency;
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
 * Permits that were admitted by local shares and that the store has not been charged for.
 *
 * <p>When the store is back it is charged for what still counts: of each counter what was admitted
 * since the last report, but no more than its share has in use by then, since time has given back
 * the rest. Reports are made in small batches with pauses, on a thread that ends with the last.
 *
 * <p>Each admission is reported once at most: one whose report had no answer is not reported again.
 * The number of counters is bounded; what is admitted beyond it is not reported. Slots in flight
 * are not reported: they are released where they were acquired.
 */
final class LocalAdmissions implements AutoCloseable {
  static final int BATCH = 64;

  private static final int KEYS_PER_LOCAL_KEY = 10;
  private static final long PAUSE_MILLIS = 10;
  private static final long AFTER_FAILURE_MILLIS = 1_000;

  private record Key(Counter counter, String key) {
    /** Keyed, because callers choose keys and records in a bin of a map are searched one by one. */
    @Override
    public int hashCode() {
      return Charge.hashOf(counter, key);
    }
  }

  /**
   * @param whole under the limit itself, with all that was admitted
   * @param share under the share that was in force last
   */
  private record Admitted(Charge whole, Charge share) {}

  private final MemoryStore local;
  private final Reporter reporter;
  private final int mostKeys;
  private final boolean forTesting;
  private final ConcurrentHashMap<Key, Admitted> admitted = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Thread thread; // guarded by lock
  private boolean closed; // guarded by lock

  LocalAdmissions(MemoryStore local, Reporter reporter, int mostLocalKeys) {
    this(local, reporter, Math.max(1, mostLocalKeys / KEYS_PER_LOCAL_KEY), false);
  }

  private LocalAdmissions(MemoryStore local, Reporter reporter, int mostKeys, boolean forTesting) {
    this.local = local;
    this.reporter = reporter;
    this.mostKeys = mostKeys;
    this.forTesting = forTesting;
  }

  /** Starts no thread: {@link #report} is called by hand. */
  static LocalAdmissions forTesting(MemoryStore local, Reporter reporter) {
    return new LocalAdmissions(local, reporter, Integer.MAX_VALUE, true);
  }

  /**
   * Adds a charge that was made here and not in the store.
   *
   * @param whole under the limit itself
   * @param share under the share that it was charged to
   */
  @SuppressWarnings("ReferenceEquality")
  void add(Charge whole, Charge share) {
    if (reporter == Reporter.NONE) return;
    if (whole.cost() == 0 || whole.limit() instanceof Concurrency) return;
    var key = new Key(whole.counter(), whole.key());
    if (admitted.size() >= mostKeys && !admitted.containsKey(key)) return;
    admitted.merge(key, new Admitted(whole, share), LocalAdmissions::sum);
  }

  private static Admitted sum(Admitted earlier, Admitted later) {
    return new Admitted(at(earlier.whole.cost() + later.whole.cost(), later.whole), later.share);
  }

  private static Charge at(long cost, Charge charge) {
    return new Charge(charge.counter(), charge.key(), cost, charge.holder());
  }

  void forget(Counter counter, String key) {
    admitted.remove(new Key(counter, key));
  }

  int keys() {
    return admitted.size();
  }

  /** Begins to report, unless there is nothing to report or it does already. */
  void start() {
    if (forTesting || admitted.isEmpty()) return;
    lock.lock();
    try {
      if (closed || thread != null) return;
      thread = Thread.ofPlatform().daemon().name("headgate-report").start(this::reportAll);
    } catch (OutOfMemoryError e) {
      // No thread to be had: the next outage's end is the next chance.
    } finally {
      lock.unlock();
    }
  }

  /** Ends reporting until {@link #start}: the store is unavailable. */
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
        if (admitted.isEmpty() && isLast()) return;
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

  @SuppressWarnings("ReferenceEquality")
  private boolean isLast() {
    lock.lock();
    try {
      if (thread != Thread.currentThread()) return true; // stopped, and another may have begun
      if (!admitted.isEmpty()) return false;
      thread = null;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reports some of the counters, and waits for the answers.
   *
   * @return whether all of these reports arrived
   */
  public boolean report(int most) {
    return reportAsync(most).join();
  }

  /** Reports some of the counters; the future has whether all of these reports arrived. */
  CompletableFuture<Boolean> reportAsync(int most) {
    var reports = new ArrayList<CompletableFuture<Boolean>>();
    for (var key : first(most)) {
      var entry = admitted.remove(key);
      if (entry == null) continue;
      long used = entry.share.limit().capacity() - local.standing(entry.share).remaining();
      long cost = Math.min(entry.whole.cost(), used);
      if (cost > 0) reports.add(report(key, new Admitted(at(cost, entry.whole), entry.share)));
    }
    return CompletableFuture.allOf(reports.toArray(CompletableFuture[]::new))
        .thenApply(done -> reports.stream().allMatch(CompletableFuture::join));
  }

  private List<Key> first(int most) {
    var keys = new ArrayList<Key>(Math.min(most, admitted.size()));
    for (var key : admitted.keySet()) {
      if (keys.size() == most) break;
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

  /** Whether it is certain that the store charged nothing. */
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
