package io.headgate.testkit;

import io.headgate.store.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A ticker whose time changes only when a test sets or advances it. {@link #sleep} advances it and
 * returns at once. Thread-safe.
 */
public final class ManualTicker implements Ticker {
  private final AtomicLong micros;

  private ManualTicker(long micros) {
    this.micros = new AtomicLong(micros);
  }

  /** Creates a ticker that starts at the beginning of a year. */
  public static ManualTicker create() {
    return at(Instant.parse("2026-01-01T00:00:00Z"));
  }

  /** Creates a ticker that starts at the given time. */
  public static ManualTicker at(Instant start) {
    return new ManualTicker(ChronoUnit.MICROS.between(Instant.EPOCH, start));
  }

  @Override
  public long micros() {
    return micros.get();
  }

  @Override
  public void sleep(long micros) {
    if (micros > 0) this.micros.addAndGet(micros);
  }

  /** Advances the time; a negative duration sets it back. */
  public void advance(Duration time) {
    micros.addAndGet(time.toNanos() / 1_000);
  }

  /** Sets the time, in microseconds since the epoch. */
  public void set(long micros) {
    this.micros.set(micros);
  }
}
