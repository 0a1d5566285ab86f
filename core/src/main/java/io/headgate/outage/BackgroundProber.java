package io.headgate.outage;

import io.headgate.store.Ticker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Probes until it succeeds, on a thread that is there for so long and no longer.
 *
 * <p>The pauses double from a tenth of a second to one, so that a short outage ends soon and a long
 * one costs little; each is cut at random by up to half, so that a fleet which lost its store at
 * one moment does not come back to it at one.
 */
final class BackgroundProber implements ProbeSchedule {
  /** The first pause. Half of it is a call's usual deadline: calls on their way end before. */
  static final long FIRST_MICROS = 100_000;

  static final long LONGEST_MICROS = 1_000_000;

  /** No two probes are closer than this. */
  static final long SHORTEST_MICROS = FIRST_MICROS / 2;

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
  public void start(Runnable onSuccess) {
    lock.lock();
    try {
      if (ended || thread != null) return;
      thread =
          Thread.ofPlatform().daemon().name("headgate-probe").start(() -> probeUntil(onSuccess));
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

  /** Makes room for the next thread: an outage that begins from now on needs one. */
  private boolean isLast() {
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

  private void probeUntil(Runnable onSuccess) {
    for (int before = 0; !hasEnded(); before++) {
      if (succeedsAfter(pause(before, RandomGenerator.getDefault()))) {
        if (isLast()) onSuccess.run();
        return;
      }
    }
  }

  /** Catches all there is: without this thread, nobody would ever ask the store again. */
  private boolean succeedsAfter(long pause) {
    try {
      dueAt = ticker.micros() + pause;
      TimeUnit.MICROSECONDS.sleep(pause);
      probe.probe();
      return true;
    } catch (Throwable problem) {
      if (!hasEnded()) onFailure.accept(problem);
      return false;
    }
  }

  /**
   * How long to wait, in microseconds.
   *
   * @param before how many probes there were in this outage
   */
  static long pause(int before, RandomGenerator random) {
    long whole = Math.min(LONGEST_MICROS, FIRST_MICROS << Math.min(before, 10));
    return random.nextLong(whole / 2, whole + 1);
  }
}
