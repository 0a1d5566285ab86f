package io.headgate.testkit;

import io.headgate.store.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until somebody turns it. Waiting turns it too. */
public final class ManualTicker implements Ticker {
  private final AtomicLong micros;

  private ManualTicker(long micros) {
    this.micros = new AtomicLong(micros);
  }

  /** A clock at a round moment, the beginning of an hour, long after the epoch. */
  public static ManualTicker create() {
    return at(Instant.parse("2026-01-01T00:00:00Z"));
  }

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

  /** Turns the clock; a negative time turns it back. */
  public void advance(Duration time) {
    micros.addAndGet(time.toNanos() / 1_000);
  }

  public void set(long micros) {
    this.micros.set(micros);
  }
}
