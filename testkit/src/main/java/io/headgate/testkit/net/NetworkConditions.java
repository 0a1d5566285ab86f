package io.headgate.testkit.net;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The current behaviour of the proxied network. A change wakes all waiting threads. */
final class NetworkConditions {
  /** A behaviour of the network. */
  sealed interface Kind {}

  /** Forwards without delay. */
  enum Normal implements Kind {
    NORMAL
  }

  /** Forwards nothing. */
  enum Blackhole implements Kind {
    BLACKHOLE
  }

  /** Forwards each chunk after a delay. */
  record Slow(Duration oneWay) implements Kind {
    Slow {
      if (oneWay.isNegative())
        throw new IllegalArgumentException(
            "a delay must not be negative, got %s; use pass() for none".formatted(oneWay));
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Kind kind = Normal.NORMAL;

  /** Changes the behaviour. */
  void set(Kind next) {
    lock.lock();
    try {
      kind = next;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until reading is permitted. */
  void awaitReadable() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (kind == Blackhole.BLACKHOLE) changed.await();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until data that was read at the given time may be forwarded. */
  void awaitForwardable(long readAtNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        switch (kind) {
          case Normal.NORMAL -> {
            return;
          }
          case Blackhole.BLACKHOLE -> changed.await();
          case Slow(var oneWay) -> {
            long left = oneWay.toNanos() - (System.nanoTime() - readAtNanos);
            if (left <= 0) return;
            long unused = changed.awaitNanos(left);
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }
}
