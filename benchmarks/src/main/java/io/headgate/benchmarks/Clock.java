package io.headgate.benchmarks;

import io.github.bucket4j.TimeMeter;
import io.headgate.store.Ticker;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** The clock of the limiters whose clock can be configured. */
public enum Clock {
  /** {@code System.nanoTime}, or the library's default. */
  SYSTEM,

  /** A clock that costs one memory read, which leaves the cost of the algorithm and the store. */
  COARSE;

  LongSupplier nanos() {
    return switch (this) {
      case SYSTEM -> System::nanoTime;
      case COARSE -> Coarse.SHARED::currentTimeNanos;
    };
  }

  Ticker ticker() {
    return switch (this) {
      case SYSTEM -> Ticker.system();
      case COARSE -> Coarse.SHARED;
    };
  }

  TimeMeter meter() {
    return switch (this) {
      case SYSTEM -> TimeMeter.SYSTEM_NANOTIME;
      case COARSE -> Coarse.SHARED;
    };
  }

  /** Updated every millisecond by a dedicated thread. */
  private static final class Coarse implements Ticker, TimeMeter {
    static final Coarse SHARED = new Coarse();

    private volatile long now = System.nanoTime();
    private final long epoch = System.currentTimeMillis() * 1_000 - now / 1_000;

    private Coarse() {
      Thread.ofPlatform().daemon().name("coarse-clock").start(this::run);
    }

    private void run() {
      while (true) {
        LockSupport.parkNanos(1_000_000);
        now = System.nanoTime();
      }
    }

    @Override
    public long micros() {
      return epoch + now / 1_000;
    }

    @Override
    public long currentTimeNanos() {
      return now;
    }

    @Override
    public boolean isWallClockBased() {
      return false;
    }
  }
}
