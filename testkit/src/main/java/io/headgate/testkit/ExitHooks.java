package io.headgate.testkit;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Closes what a test left open when the JVM ends: processes and files outlive it otherwise. Nothing
 * helps against a SIGKILL of the JVM itself.
 */
public final class ExitHooks {
  private static final Set<AutoCloseable> OPEN = new LinkedHashSet<>();
  private static boolean exiting;

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(ExitHooks::closeAll, "testkit-at-exit"));
  }

  /** Has this closed at the end of the JVM, unless it is forgotten before. */
  public static void close(AutoCloseable resource) {
    synchronized (OPEN) {
      if (exiting)
        throw new IllegalStateException("the JVM is ending: too late to open " + resource);
      OPEN.add(resource);
    }
  }

  public static void forget(AutoCloseable resource) {
    synchronized (OPEN) {
      OPEN.remove(resource);
    }
  }

  private static void closeAll() {
    List<AutoCloseable> left;
    synchronized (OPEN) {
      exiting = true;
      left = List.copyOf(OPEN).reversed();
    }
    for (var resource : left) {
      try {
        resource.close();
      } catch (Exception e) {
        System.err.println("could not close " + resource + " at exit: " + e);
      }
    }
  }

  private ExitHooks() {}
}
