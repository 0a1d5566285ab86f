package io.headgate.testkit.net;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** How the network is right now; those who wait for better notice every change. */
final class NetworkConditions {
  sealed interface Kind {}

  enum Fair implements Kind {
    FAIR
  }

  enum Silent implements Kind {
    SILENT
  }

  record Slow(Duration oneWay) implements Kind {
    Slow {
      if (oneWay.isNegative())
        throw new IllegalArgumentException(
            "a delay must not be negative, got %s; use pass() for none".formatted(oneWay));
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Kind kind = Fair.FAIR;

  void become(Kind next) {
    lock.lock();
    try {
      kind = next;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Until something may be read. */
  void awaitSound() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (kind == Silent.SILENT) changed.await();
    } finally {
      lock.unlock();
    }
  }

  /** Until what was read at that time may be passed on. */
  void awaitPassage(long readAtNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        switch (kind) {
          case Fair.FAIR -> {
            return;
          }
          case Silent.SILENT -> changed.await();
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
