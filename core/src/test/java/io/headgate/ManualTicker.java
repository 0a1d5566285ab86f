package io.headgate;

import io.headgate.store.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that is advanced manually. Sleeping advances it. */
final class ManualTicker implements Ticker {
  private final AtomicLong micros = new AtomicLong(1_767_225_600_000_000L); // 2026-01-01T00:00Z

  @Override
  public long micros() {
    return micros.get();
  }

  @Override
  public void sleep(long length) {
    micros.addAndGet(length);
  }

  void advance(Duration time) {
    micros.addAndGet(time.toNanos() / 1_000);
  }
}
