package io.headgate.benchmarks;

import io.github.bucket4j.TimeMeter;
import io.headgate.store.Ticker;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Where those whose clock can be chosen take their time from. */
public enum Clock {
  /** {@code System.nanoTime}, or what a library makes of it. */
  SYSTEM,

  /** One memory read. With it, what remains to be seen is the arithmetic and the store. */
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

  /** Moved on every millisecond by a thread of its own. */
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
