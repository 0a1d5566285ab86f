package io.headgate.internal.script;

import io.headgate.store.CallDeadline;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The deadline of commands. Times are nanoseconds of a monotonic clock. Thread-safe.
 *
 * <p>A deadline limits the time of the store, not of this process: the time in which this process
 * was stalled ({@link StallMeter}) does not count. A wait never exceeds {@link #maxWait()}. That
 * maximum applies to the first calls as well, since their code is not compiled yet.
 */
final class CommandDeadline {
  /** The maximum length of a wait, in deadlines. */
  private static final int MAX_DEADLINES = 10;

  /** The maximum length of a wait, unless the deadline itself is longer. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(1);

  private final String store;
  private final long deadline;
  private final long maxWait;
  private final StallMeter stalls = new StallMeter();
  private final LongSupplier nanos;
  private volatile int warmUpCalls;

  /**
   * Creates a deadline.
   *
   * @param store the name of the store in messages
   * @param warmUpCalls how many calls get the maximum wait before the deadline applies
   * @param nanos a monotonic clock
   */
  CommandDeadline(String store, Duration deadline, int warmUpCalls, LongSupplier nanos) {
    this.store = store;
    this.deadline = deadline.toNanos();
    this.maxWait = maxWait(deadline).toNanos();
    this.warmUpCalls = warmUpCalls;
    this.nanos = nanos;
  }

  /** Returns the maximum length of a wait, however long the process is stalled. */
  static Duration maxWait(Duration deadline) {
    var several = deadline.multipliedBy(MAX_DEADLINES);
    var bounded = several.compareTo(MAX_WAIT) < 0 ? several : MAX_WAIT;
    return bounded.compareTo(deadline) < 0 ? deadline : bounded;
  }

  /** Returns the name of the store in messages. */
  String store() {
    return store;
  }

  /** Returns the time by the monotonic clock. */
  long now() {
    return nanos.getAsLong();
  }

  /** Returns the current deadline. */
  long length() {
    return warmUpCalls > 0 ? maxWait : deadline;
  }

  /** Returns the interval at which to look for overdue waits. */
  long sweepInterval() {
    return Math.max(1_000_000, deadline / 8);
  }

  /** Returns the maximum length of a wait. */
  long maxWait() {
    return maxWait;
  }

  /** Returns where stalls of this process are recorded. */
  StallMeter stalls() {
    return stalls;
  }

  /** Records the time that it took to send a call, which does not count towards its deadline. */
  void recordSend(long since) {
    stalls.record(since, now());
  }

  /** Records that a call was answered, which ends the warm-up after enough calls. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  void recordReply() {
    int left = warmUpCalls;
    if (left > 0) warmUpCalls = left - 1; // may lose a concurrent update: need not be exact
  }

  /** Returns whether the deadline of a wait that started at {@code since} has passed. */
  boolean isLate(long since) {
    return since - cutoffAt(now()) < 0;
  }

  /** Returns the time before which a wait must have started to be overdue. */
  long cutoffAt(long now) {
    return warmUpCalls > 0 ? now - maxWait : stalls.runningSince(now, deadline, maxWait);
  }

  /** Returns the failure of a wait that has ended at its deadline. */
  StoreException timeout() {
    return timeout(length());
  }

  /**
   * Returns the failure of a wait that has ended at the deadline of its call. It is no failure of
   * the store if this process was stalled for half of that time, or is warming up.
   */
  StoreException timeout(CallDeadline call, long since) {
    long length = call.length().toNanos();
    long ran = stalls.runningSince(now(), length / 2, Math.max(length, maxWait));
    boolean blamed = call.isCounted() && warmUpCalls <= 0 && since - ran < 0;
    return new StoreException(
            blamed ? Kind.TIMEOUT : Kind.INTERRUPTED,
            "%s did not answer within the %d ms of the call"
                .formatted(store, call.length().toMillis()),
            null)
        .withCallDeadline(call.length());
  }

  /** Returns the failure of a wait that has ended after the maximum time. */
  StoreException maxWaitTimeout() {
    return timeout(maxWait);
  }

  private StoreException timeout(long nanos) {
    long millis = Duration.ofNanos(nanos).toMillis();
    return new StoreException(
        Kind.TIMEOUT, "%s did not answer within %d ms".formatted(store, millis), null);
  }
}
