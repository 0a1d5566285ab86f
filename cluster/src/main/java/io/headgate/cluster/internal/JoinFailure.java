package io.headgate.cluster.internal;

import com.tangosol.net.RequestTimeoutException;
import com.tangosol.net.ServiceStoppedException;

/** Classifies failures to join the cluster. */
final class JoinFailure {
  /**
   * Returns whether another attempt may succeed: the members, or this process, were too busy to
   * join in time, or the grid failed by itself. If members start at the same time, its cache
   * service may use a map that does not exist yet. The service then ends, and the exception of the
   * thread that waits for it does not always have the cause.
   */
  static boolean isTransient(Throwable problem) {
    for (var cause = problem; cause != null; cause = cause.getCause()) {
      if (cause instanceof RequestTimeoutException
          || cause instanceof NullPointerException
          || cause instanceof ServiceStoppedException) {
        return true;
      }
      var message = String.valueOf(cause.getMessage());
      if (message.startsWith("Failed to start Service")
          || (message.startsWith("Service ") && message.endsWith(" has been terminated"))) {
        return true;
      }
    }
    return false;
  }

  private JoinFailure() {}
}
