package io.headgate.internal.outage;

import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.headgate.store.Ticker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Probes a store until a probe succeeds, on a thread that exists only while it probes.
 *
 * <p>Uses exponential backoff with equal jitter. Pauses double from 100 ms to 1 s, so that a short
 * outage is noticed soon to be over and a long one costs little. Each pause is shortened at random
 * by up to half, so that instances that lost the store at the same moment do not return to it at
 * the same moment.
 *
 * <p>Thread-safe.
 */
final class BackgroundProber implements ProbeSchedule {
  /**
   * The first pause. Half of it, the minimum, is the default deadline of a request, so that
   * requests in flight end before the first probe.
   */
  static final long FIRST_MICROS = 100_000;

  static final long MAX_MICROS = 1_000_000;

  /** The minimum time between two probes. */
  static final long MIN_MICROS = FIRST_MICROS / 2;

  private final Probe probe;
  private final Ticker ticker;
  private final Consumer<Throwable> onFailure;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Thread thread;
  private boolean ended;
  private volatile long dueAt;

  BackgroundProber(Probe probe, Ticker ticker, Consumer<Throwable> onFailure) {
    this.probe = probe;
    this.ticker = ticker;
    this.onFailure = onFailure;
  }

  @Override
  public void start(LongSupplier deadline, Runnable onSuccess) {
    lock.lock();
    try {
      if (ended || thread != null) return;
      thread =
          Thread.ofPlatform()
              .daemon()
              .name("headgate-probe")
              .start(() -> probeUntil(deadline, onSuccess));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void end() {
    lock.lock();
    try {
      ended = true;
      if (thread != null) thread.interrupt();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends this round of probing, so that the next outage starts a new thread.
   *
   * @return false if {@link #end} was called
   */
  private boolean finish() {
    lock.lock();
    try {
      thread = null;
      return !ended;
    } finally {
      lock.unlock();
    }
  }

  private boolean hasEnded() {
    lock.lock();
    try {
      return ended;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long dueAt() {
    return dueAt;
  }

  private void probeUntil(LongSupplier deadline, Runnable onSuccess) {
    for (int attempts = 0; !hasEnded(); attempts++) {
      if (succeedsAfter(pause(attempts, RandomGenerator.getDefault()), deadline)) {
        if (finish()) onSuccess.run();
        return;
      }
    }
  }

  /** Catches every throwable, because the circuit breaker stays open if this thread ends. */
  private boolean succeedsAfter(long pause, LongSupplier deadline) {
    try {
      dueAt = ticker.micros() + pause;
      TimeUnit.MICROSECONDS.sleep(pause);
      long began = System.nanoTime();
      probe.probe();
      requireWithin(deadline.getAsLong(), (System.nanoTime() - began) / 1_000);
      return true;
    } catch (Throwable problem) {
      if (!hasEnded()) onFailure.accept(problem);
      return false;
    }
  }

  private static void requireWithin(long deadline, long took) {
    if (took <= deadline) return;
    throw new StoreException(
        Kind.TIMEOUT,
        "took %d ms, and calls wait for %d ms".formatted(took / 1_000, deadline / 1_000),
        null);
  }

  /**
   * Returns the pause before the next probe, in microseconds.
   *
   * @param attempts the number of probes already made in this outage
   */
  static long pause(int attempts, RandomGenerator random) {
    long full = Math.min(MAX_MICROS, FIRST_MICROS << Math.min(attempts, 10));
    return random.nextLong(full / 2, full + 1);
  }
}
