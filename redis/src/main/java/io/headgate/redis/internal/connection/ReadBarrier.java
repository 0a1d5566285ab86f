package io.headgate.redis.internal.connection;

import java.util.function.LongSupplier;

/** The threads that read answers: whether they have read all there is, and how late they run. */
public interface ReadBarrier {
  /** For links without threads of their own: an answer is read as soon as it is there. */
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
   * Runs the action once every answer that lies in a socket now has been read and delivered. Runs
   * it on one of the reading threads, so it must not block.
   */
  void afterReads(Runnable action);

  /** Records by how much the reading threads are late, unless a measurement is still under way. */
  void measure(StallMeter meter, LongSupplier nanos);
}
