package io.headgate.grpc;

import java.util.ArrayDeque;

/**
 * Runs events in order, and keeps those that arrive before the call is decided. gRPC delivers no
 * message before one is requested, so that few events can wait. Thread-safe.
 */
final class EventBuffer {
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private boolean open;

  /** Runs an event now, or after {@link #open}. */
  void run(Runnable event) {
    synchronized (waiting) {
      if (!open) {
        waiting.add(event);
        return;
      }
    }
    event.run();
  }

  /** Returns whether events run at once. */
  boolean isOpen() {
    synchronized (waiting) {
      return open;
    }
  }

  /** Runs the first event and then those that wait; later ones run at once. */
  void open(Runnable first) {
    first.run();
    while (true) {
      Runnable next;
      synchronized (waiting) {
        if (waiting.isEmpty()) {
          open = true;
          return;
        }
        next = waiting.poll();
      }
      next.run();
    }
  }
}
