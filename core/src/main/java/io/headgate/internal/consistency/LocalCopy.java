package io.headgate.internal.consistency;

import io.headgate.internal.consistency.HoldingStore.ReportResult;
import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.store.Source;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The local copy of one counter under {@code consistency: eventual}: the state of the store's last
 * reply, plus the charges counted locally since.
 *
 * <p>Uses the store's clock: the time of the last reply plus the time elapsed since by the local
 * monotonic clock. Instances with different clocks therefore agree on when a window ends, and no
 * wall-clock time is ever sent.
 *
 * <p>Leaves the decision to the store while the copy may be far from the shared state. That is
 * before the first reply if the counter may have been used on this instance before, while the
 * shared state is of another limit, and when reports have failed for {@link #STALE_AFTER}.
 */
final class LocalCopy implements LocalCounter {
  /** How long a copy is used without a reply, in nanoseconds. */
  static final long STALE_AFTER = 1_000_000_000;

  private static final long MIN_LIFETIME = 1_000_000_000;

  /** A report of more than this share of the permits that are left does not wait for its round. */
  private static final int EARLY_SHARE = 16;

  /** The least time between a reply and the next early report, as a share of the sync interval. */
  private static final int EARLY_PAUSE_SHARE = 8;

  /**
   * A report in flight.
   *
   * @param limit the limit under which its permits were counted
   */
  record Report(Charge charge, Holdable limit) {}

  private final String key;
  private final SyncQueue queue;
  private final long earlyPause;
  private final AtomicBoolean queued = new AtomicBoolean();
  private Counter counter; // of the last charge
  private Holdable limit;
  private State state = State.FRESH;
  private boolean usable;
  private long clockOffset; // the store's clock minus the local monotonic clock, in µs
  private long pending; // counted locally and not reported, in permits of the limit
  private boolean reporting;
  private boolean early; // queued to be reported before the next round
  private long repliedAt;
  private boolean failing;
  private long failingSince;
  private int reportCount;
  private long lastUsed;

  /**
   * Creates a copy with a fresh state.
   *
   * @param usable whether to decide with the fresh state until the first reply
   * @param syncInterval the time between two rounds of reports, in nanoseconds
   * @param time an estimate of the store's time
   */
  LocalCopy(
      Charge charge, boolean usable, SyncQueue queue, long syncInterval, long time, long now) {
    this.key = charge.key();
    this.queue = queue;
    this.earlyPause = syncInterval / EARLY_PAUSE_SHARE;
    this.counter = charge.counter();
    this.limit = (Holdable) charge.limit();
    this.usable = usable;
    this.clockOffset = time - now / 1_000;
    this.repliedAt = now;
    this.lastUsed = now;
  }

  @Override
  public @Nullable Outcome spend(Charge charge, long now) {
    var outcome = count(charge, now);
    queue.enqueue(this);
    return outcome;
  }

  private synchronized @Nullable Outcome count(Charge charge, long now) {
    adopt(charge);
    lastUsed = now;
    if (!usable || isStale(now)) return null;
    var step = limit.step(state, storeTime(now), charge.cost());
    state = step.state();
    if (step.outcome() instanceof Passed passed) {
      pending += charge.cost();
      if (isEarly(passed.remaining(), now)) {
        early = true;
        queue.enqueueAhead(this);
      }
    }
    return step.outcome();
  }

  /**
   * Returns whether the next report should not wait for its round. Each instance decides without
   * the permits that the others have not reported, so that near the end of a window these are the
   * excess. Reports by amount make it proportional to the permits that are left. A bucket has the
   * excess once and not in each window; it is empty all the time under overload, and would be
   * reported all the time.
   */
  private boolean isEarly(long left, long now) {
    return !early
        && !reporting
        && pending > left / EARLY_SHARE
        && now - repliedAt >= earlyPause
        && !(limit instanceof TokenBucket);
  }

  /** Converts the pending permits in proportion if the charge's limit has changed. */
  @SuppressWarnings("ReferenceEquality")
  private void adopt(Charge charge) {
    if (counter == charge.counter()) return;
    counter = charge.counter();
    var before = limit;
    limit = (Holdable) charge.limit();
    if (!limit.equals(before)) pending = limit.convertPermits(pending, before);
  }

  private boolean isStale(long now) {
    return queue.isStale(now) || (failing && now - failingSince > STALE_AFTER);
  }

  /** Corrects the permits to report. The local state stays charged until the next reply. */
  @Override
  public synchronized void refund(long cost, int reportCount) {
    if (reportCount == this.reportCount) pending = Math.max(0, pending - cost);
  }

  @Override
  public synchronized int reportCount() {
    return reportCount;
  }

  @Override
  public synchronized Outcome peek(long now) {
    return limit.step(state, storeTime(now), 0).outcome();
  }

  @Override
  public Source source(Outcome outcome) {
    return Source.CACHE;
  }

  @Override
  public void storeRefused(Charge charge, Refused refused, DenialCache.Sent sent, long now) {
    // The reply to the next report has the whole state.
  }

  @Override
  public synchronized Charge chargeAtZeroCost() {
    return new Charge(counter, key, 0, 0);
  }

  @Override
  public boolean markQueued() {
    return !queued.get() && queued.compareAndSet(false, true); // usually only the read
  }

  @Override
  public boolean clearQueued() {
    return queued.getAndSet(false);
  }

  /** Returns the permits to report, which count as reported; null while a report is in flight. */
  synchronized @Nullable Report prepareReport() {
    if (reporting) return null;
    reporting = true;
    early = false;
    reportCount++;
    var report = new Report(new Charge(counter, key, pending, 0), limit);
    pending = 0;
    return report;
  }

  /** Replaces the state by the store's, plus the permits counted since the report. */
  synchronized void reported(Report report, ReportResult reply, long now) {
    reporting = false;
    failing = false;
    repliedAt = now;
    usable = reply.counted();
    if (!usable) pending += limit.convertPermits(report.charge.cost(), report.limit);
    clockOffset = reply.now() - now / 1_000;
    state = pending == 0 ? reply.state() : limit.charged(reply.state(), reply.now(), pending);
  }

  /**
   * Records that a report failed.
   *
   * @param unsent whether it was certainly not sent. Otherwise it is not repeated, since it must
   *     not be charged twice.
   */
  synchronized void reportFailed(Report report, boolean unsent, long now) {
    reporting = false;
    if (!failing) failingSince = now;
    failing = true;
    if (unsent) pending += limit.convertPermits(report.charge.cost(), report.limit);
  }

  @Override
  public synchronized boolean isSettled() {
    return !reporting && pending == 0;
  }

  /**
   * Returns whether the copy is equivalent to a new one: nothing is left to report, and the state
   * is fresh. Permits that the store does not accept, because the counter is of another limit by
   * now, count for no longer than the window of the limit they were counted under.
   */
  synchronized boolean isExpired(long now) {
    if (reporting) return false;
    long idle = now - lastUsed;
    if (!usable && idle > Math.max(MIN_LIFETIME, limit.window() * 1_000)) return true;
    return pending == 0
        && !queued.get()
        && idle > MIN_LIFETIME
        && state.freshAt() <= storeTime(now);
  }

  /** Returns the time since the last use; -1 if the copy must not be evicted. */
  synchronized long idleTime(long now) {
    return reporting || pending > 0 || queued.get() ? -1 : now - lastUsed;
  }

  private long storeTime(long now) {
    return now / 1_000 + clockOffset;
  }
}
