package io.headgate.system.endurance;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * The calls of one protocol over both instances. Those that overlap with a disturbance, in which
 * the store is paused or an instance is replaced, are counted apart: they must get an answer, but
 * may be refused or late. Thread-safe.
 */
final class Tally {
  private static final int MAX_EXAMPLES = 5;
  private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(5);

  final String protocol;
  final AtomicLong calls = new AtomicLong();
  final AtomicLong disturbed = new AtomicLong();
  final AtomicLong refused = new AtomicLong();
  final AtomicLong late = new AtomicLong();
  final AtomicLong fallbacks = new AtomicLong();
  final ConcurrentHistogram nanos = new ConcurrentHistogram(2);
  final Queue<String> examples = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean disturbance;
  private final AtomicLong strictAdmitted;

  Tally(String protocol, AtomicBoolean disturbance, AtomicLong strictAdmitted) {
    this.protocol = protocol;
    this.disturbance = disturbance;
    this.strictAdmitted = strictAdmitted;
  }

  /** A call that has begun. */
  final class Begun {
    private final long at = System.nanoTime();
    private final boolean isDisturbed = disturbance.get();

    void answered(Reply reply) {
      if (reply.strict() && reply.decision() == Reply.Decision.ADMITTED) {
        strictAdmitted.incrementAndGet();
      }
      if (ended() && reply.decision() == Reply.Decision.FALLBACK) fallbacks.incrementAndGet();
    }

    void failed(Throwable problem) {
      if (!ended()) return;
      refused.incrementAndGet();
      if (examples.size() < MAX_EXAMPLES) examples.add(problem.toString());
    }

    /** Counts the call and returns whether it was undisturbed. */
    private boolean ended() {
      calls.incrementAndGet();
      if (isDisturbed || disturbance.get()) {
        disturbed.incrementAndGet();
        return false;
      }
      long took = System.nanoTime() - at;
      nanos.recordValue(Math.max(1, took));
      if (took > LATE_NANOS) late.incrementAndGet();
      return true;
    }
  }

  Begun begin() {
    return new Begun();
  }

  /** Returns the 99.9th percentile of undisturbed calls in milliseconds. */
  double p999Millis() {
    return nanos.getValueAtPercentile(99.9) / 1e6;
  }
}
