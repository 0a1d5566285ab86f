package io.headgate.redis;

import io.headgate.store.OutageListener;
import io.headgate.store.StoreException.Kind;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts the events of the circuit breaker. */
final class OutageCounters implements OutageListener {
  private final Map<Kind, LongAdder> failures = new EnumMap<>(Kind.class);
  private final AtomicLong openings = new AtomicLong();
  private final AtomicLong failuresWhileOpen = new AtomicLong();
  private volatile boolean open;

  OutageCounters() {
    for (var kind : Kind.values()) failures.put(kind, new LongAdder());
  }

  @Override
  public void failed(Kind kind) {
    failures.get(kind).increment();
    if (open) failuresWhileOpen.incrementAndGet();
  }

  @Override
  public void opened(String message) {
    openings.incrementAndGet();
    open = true;
  }

  @Override
  public void closed(long outageMicros) {
    open = false;
  }

  /** Returns the number of requests to the store that failed. */
  long failures() {
    return failures.values().stream().mapToLong(LongAdder::sum).sum();
  }

  long failures(Kind kind) {
    return failures.get(kind).sum();
  }

  long openings() {
    return openings.get();
  }

  /** Returns the number of requests that failed after the circuit breaker had opened. */
  long failuresWhileOpen() {
    return failuresWhileOpen.get();
  }
}
