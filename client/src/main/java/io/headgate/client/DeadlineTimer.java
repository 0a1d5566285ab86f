package io.headgate.client;

import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Fails futures at their deadlines with a {@link TimeoutException}. Most futures complete long
 * before, so that neither an added nor a completed future wakes the thread of the timer: it wakes
 * at the earliest deadline that it knows, and drops completed futures then. {@link
 * CompletableFuture#orTimeout} wakes a thread for each.
 *
 * <p>Thread-safe. The thread starts with the first future.
 */
final class DeadlineTimer implements AutoCloseable {
  /** So many futures are kept before completed ones are looked for. */
  static final int MIN_PURGED = 1_024;

  private record Entry(CompletableFuture<?> future, long at) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final PriorityQueue<Entry> entries =
      new PriorityQueue<>((a, b) -> Long.compare(a.at - b.at, 0)); // times may overflow
  private int purgedAt = MIN_PURGED;
  private @Nullable Thread thread;
  private boolean closed;

  /**
   * Fails a future at its deadline, unless it is complete then.
   *
   * @param at the deadline, as {@link System#nanoTime}
   */
  @SuppressWarnings("ReferenceEquality") // the same entry
  void expire(CompletableFuture<?> future, long at) {
    lock.lock();
    try {
      if (entries.size() >= purgedAt) purge();
      var entry = new Entry(future, at);
      entries.add(entry);
      if (entries.peek() == entry) changed.signal();
      if (thread == null) {
        thread = Thread.ofPlatform().daemon().name("headgate-client-deadlines").start(this::run);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Drops completed futures: on average one for each that is added, so that few are kept. */
  private void purge() {
    entries.removeIf(entry -> entry.future.isDone());
    purgedAt = Math.max(MIN_PURGED, 2 * entries.size());
  }

  /** Returns the number of futures that are kept, complete ones included. */
  int size() {
    lock.lock();
    try {
      return entries.size();
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the thread waits for a deadline or another future. */
  boolean isWaiting() {
    lock.lock();
    try {
      return lock.hasWaiters(changed);
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      for (var due = next(); due != null; due = next()) {
        due.completeExceptionally(new TimeoutException());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /**
   * Waits for the next future that is overdue; returns null if there is none and the timer is
   * closed.
   */
  private @Nullable CompletableFuture<?> next() throws InterruptedException {
    lock.lock();
    try {
      while (true) {
        var first = entries.peek();
        if (first == null && closed) return null;
        if (first == null) {
          changed.await();
        } else if (first.future.isDone()) {
          entries.poll();
        } else {
          long left = first.at - System.nanoTime();
          if (left <= 0) return entries.remove().future;
          changed.awaitNanos(left);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lets the thread end as soon as no future is left. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }
}
