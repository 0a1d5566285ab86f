package io.headgate.benchmarks;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The baseline: a minimal token bucket (GCRA). Its state is one number, the time at which the debt
 * is repaid. It needs one compare-and-set and has no rules, remaining permits or retry time.
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
