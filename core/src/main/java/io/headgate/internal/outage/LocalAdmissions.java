package io.headgate.internal.outage;

import io.headgate.limit.FairShare;
import io.headgate.limit.SlotLimit;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.MemoryStore;
import io.headgate.store.StoreException;
import io.headgate.store.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
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

  /**
   * The admissions of one counter.
   *
   * @param whole all admitted permits, under the limit itself
   * @param share the last charge, under the share of the limit that was in force
   */
  private record Admitted(Charge whole, Charge share) {}

  /**
   * The admissions of one counter by its last answer.
   *
   * @param until when they have left the window of the limit
   */
  private record Owed(Charge whole, long until) {}

  private final MemoryStore local;
  private final Reporter reporter;
  private final Ticker ticker;
  private final int maxKeys;
  private final boolean forTesting;
  private final ConcurrentHashMap<CounterShare, Admitted> admitted = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<CounterShare, Owed> owed = new ConcurrentHashMap<>();
  private volatile Consumer<Charge> onReport = charge -> {};
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Thread thread; // guarded by lock
  private boolean closed; // guarded by lock

  LocalAdmissions(MemoryStore local, Reporter reporter, Ticker ticker, int maxLocalKeys) {
    this(local, reporter, ticker, Math.max(1, maxLocalKeys / KEYS_PER_LOCAL_KEY), false);
  }

  private LocalAdmissions(
      MemoryStore local, Reporter reporter, Ticker ticker, int maxKeys, boolean forTesting) {
    this.local = local;
    this.reporter = reporter;
    this.ticker = ticker;
    this.maxKeys = maxKeys;
    this.forTesting = forTesting;
  }

  /** Returns an instance that starts no thread: the test calls {@link #report}. */
  static LocalAdmissions forTesting(MemoryStore local, Reporter reporter, Ticker ticker) {
    return new LocalAdmissions(local, reporter, ticker, Integer.MAX_VALUE, true);
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
    var key = CounterShare.of(whole);
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

  /**
   * Adds a charge that was admitted by the last answer of the store and that the store has not
   * made. It is reported in full, unless it has left the window before.
   *
   * @return false if it will not be reported
   */
  boolean owe(Charge charge) {
    if (reporter.equals(Reporter.NONE) || charge.limit() instanceof SlotLimit) return false;
    if (charge.cost() == 0) return true;
    var key = CounterShare.of(charge);
    if (owed.size() >= maxKeys && !owed.containsKey(key)) return false;
    long until = ticker.micros() + charge.limit().window();
    owed.merge(key, new Owed(charge, until), LocalAdmissions::sum);
    return true;
  }

  private static Owed sum(Owed earlier, Owed later) {
    return new Owed(
        withCost(earlier.whole.cost() + later.whole.cost(), later.whole),
        Math.max(earlier.until, later.until));
  }

  /**
   * Reports what is owed for the counters of a plan, without waiting. The plan is sent afterwards,
   * so that the store charges the earlier admissions first.
   */
  void reportOwed(Plan plan) {
    if (owed.isEmpty()) return;
    for (var charge : plan.charges()) {
      var key = CounterShare.of(charge);
      var entry = owed.remove(key);
      if (entry == null || ticker.micros() >= entry.until) continue;
      var unused = report(key, entry);
    }
  }

  /** Returns the permits of {@link #owe} that have not been reported. */
  long owed(Charge charge) {
    if (owed.isEmpty()) return 0;
    var entry = owed.get(CounterShare.of(charge));
    return entry == null ? 0 : entry.whole.cost();
  }

  /**
   * Sets off a charge that the store made for a request that was denied against those that it is
   * still to make.
   *
   * @return false if there are too few, so that the charge has to be given back
   */
  boolean setOff(Charge charge) {
    var before = new boolean[1];
    owed.computeIfPresent(
        CounterShare.of(charge),
        (key, entry) -> {
          before[0] = entry.whole.cost() >= charge.cost();
          if (!before[0]) return entry;
          long left = entry.whole.cost() - charge.cost();
          return left == 0 ? null : new Owed(withCost(left, entry.whole), entry.until);
        });
    return before[0];
  }

  private static boolean isOf(CounterShare one, Counter counter, String key) {
    return one.counter().equals(counter) && one.key().equals(key);
  }

  /** Drops the admissions of a counter that has been reset. */
  void remove(Counter counter, String key) {
    if (counter.limit() instanceof FairShare) {
      admitted.keySet().removeIf(one -> isOf(one, counter, key));
      owed.keySet().removeIf(one -> isOf(one, counter, key));
    } else {
      admitted.remove(new CounterShare(counter, key, null));
      owed.remove(new CounterShare(counter, key, null));
    }
  }

  /** Returns the number of counters with admissions to report. */
  int keys() {
    return admitted.size() + owed.size();
  }

  /** Starts reporting, unless it has started already or there are no admissions. */
  void start() {
    if (forTesting || keys() == 0) return;
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
        if (keys() == 0 && finishIfEmpty()) return;
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
      if (keys() > 0) return false;
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
    for (var key : first(max, owed)) {
      var entry = owed.remove(key);
      if (entry != null && ticker.micros() < entry.until) reports.add(report(key, entry));
    }
    for (var key : first(max - reports.size(), admitted)) {
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

  private static List<CounterShare> first(int max, ConcurrentHashMap<CounterShare, ?> entries) {
    var keys = new ArrayList<CounterShare>(Math.min(max, entries.size()));
    for (var key : entries.keySet()) {
      if (keys.size() == max) break;
      keys.add(key);
    }
    return keys;
  }

  private CompletableFuture<Boolean> report(CounterShare key, Admitted entry) {
    return report(
        entry.whole, () -> admitted.merge(key, entry, (later, earlier) -> sum(earlier, later)));
  }

  /** Sets who is told of each charge of {@link #owe} before it is reported. */
  void onReport(Consumer<Charge> listener) {
    onReport = listener;
  }

  private CompletableFuture<Boolean> report(CounterShare key, Owed entry) {
    onReport.accept(entry.whole);
    return report(
        entry.whole, () -> owed.merge(key, entry, (later, earlier) -> sum(earlier, later)));
  }

  /** Reports a charge; runs {@code undo} if the store has certainly not made it. */
  private CompletableFuture<Boolean> report(Charge charge, Runnable undo) {
    CompletableFuture<?> report;
    try {
      report = reporter.charge(charge).toCompletableFuture();
    } catch (RuntimeException e) {
      report = CompletableFuture.failedFuture(e);
    }
    return report.handle((charged, problem) -> {
      if (problem != null && isUncharged(problem)) undo.run();
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
