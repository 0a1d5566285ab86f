package io.headgate.testkit;

import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the live heap of this JVM. A difference of two measurements is the size of the objects
 * that were created in between only if no other code of the process allocates or releases memory,
 * so measure in a process that does nothing else.
 */
public final class LiveHeap {
  private static final int MAX_COLLECTIONS = 30;
  private static final int EQUAL_COLLECTIONS = 3;
  private static final long PAUSE_NANOS = 5_000_000;
  private static final long MAX_CHANGE = 16 * 1024;

  private LiveHeap() {}

  /**
   * Returns the used bytes once several collections in a row have left the same, or after {@link
   * #MAX_COLLECTIONS} of them: threads that allocate all the time, such as those of a data grid,
   * leave a different number each time.
   */
  public static long bytes() {
    long last = Long.MAX_VALUE;
    int equal = 0;
    for (int i = 0; i < MAX_COLLECTIONS; i++) {
      System.gc();
      long now = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      equal = Math.abs(last - now) <= MAX_CHANGE ? equal + 1 : 0;
      if (equal == EQUAL_COLLECTIONS) return now;
      last = now;
      LockSupport.parkNanos(PAUSE_NANOS); // lets threads of the JVM release what was collected
    }
    return last;
  }
}
