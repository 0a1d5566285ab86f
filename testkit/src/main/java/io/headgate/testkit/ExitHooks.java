package io.headgate.testkit;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Closes, when the JVM exits, the processes and files that a test left open. It cannot do so if the
 * JVM is killed with SIGKILL. Thread-safe.
 */
public final class ExitHooks {
  private static final Set<AutoCloseable> OPEN = new LinkedHashSet<>();
  private static boolean exiting;

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(ExitHooks::closeAll, "testkit-at-exit"));
  }

  /**
   * Registers a resource to be closed when the JVM exits, in reverse order of registration.
   *
   * @throws IllegalStateException if the JVM is already exiting
   */
  public static void closeAtExit(AutoCloseable resource) {
    synchronized (OPEN) {
      if (exiting)
        throw new IllegalStateException("cannot open " + resource + ": the JVM is exiting");
      OPEN.add(resource);
    }
  }

  /** Removes a resource that was closed before. */
  public static void remove(AutoCloseable resource) {
    synchronized (OPEN) {
      OPEN.remove(resource);
    }
  }

  private static void closeAll() {
    List<AutoCloseable> remaining;
    synchronized (OPEN) {
      exiting = true;
      remaining = List.copyOf(OPEN).reversed();
    }
    for (var resource : remaining) {
      try {
        resource.close();
      } catch (Exception e) {
        System.err.println("could not close " + resource + " at exit: " + e);
      }
    }
  }

  private ExitHooks() {}
}
