package io.headgate.benchmarks;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The floor: the least that a token bucket can do. One number for the state (when the debt will be
 * repaid), one compare-and-set, no rules, no remaining, no retry time.
 */
record CasBucket(long interval, long tolerance, LongSupplier nanos) {

  boolean take(AtomicLong emptyAt) {
    long now = nanos.getAsLong();
    while (true) {
      long seen = emptyAt.get();
      long next = Math.max(seen, now) + interval;
      if (next - now > tolerance) return false;
      if (emptyAt.compareAndSet(seen, next)) return true;
    }
  }
}
