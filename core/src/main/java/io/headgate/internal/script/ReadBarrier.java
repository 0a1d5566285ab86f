package io.headgate.internal.script;

import java.util.function.LongSupplier;

/** A barrier over the threads that read replies, and a measurement of how late they run. */
public interface ReadBarrier {
  /** For connections without threads of their own, which read each reply when it arrives. */
  ReadBarrier NONE =
      new ReadBarrier() {
        @Override
        public void afterReads(Runnable action) {
          action.run();
        }

        @Override
        public void measure(StallMeter meter, LongSupplier nanos) {}
      };

  /**
   * Runs the action once every reply that is in a socket buffer now has been read and delivered.
   * The action runs on one of the reading threads, so it must not block.
   */
  void afterReads(Runnable action);

  /** Records by how much the reading threads are late, unless a measurement is in progress. */
  void measure(StallMeter meter, LongSupplier nanos);
}
