package io.headgate;

import io.headgate.load.CallOutcome;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Decides how a call ended, for the adaptive limits that learn from it. Called on the thread of the
 * call. An exception of the classifier counts as {@link CallOutcome#ERROR}.
 *
 * {@snippet file="io/headgate/LibraryExamplesTest.java" region="classifier"}
 *
 * @param <T> the type of the result
 */
@FunctionalInterface
public interface CallClassifier<T extends @Nullable Object> {
  /**
   * Returns how a call ended.
   *
   * @param result the result; null if the call threw an exception
   * @param failure the exception of the call; null if it returned
   */
  CallOutcome classify(@Nullable T result, @Nullable Throwable failure);

  /**
   * Returns the default: a result is a success, a timeout ({@link TimeoutException}, {@link
   * InterruptedIOException}, {@code HttpTimeoutException}) or a {@link RejectedExecutionException}
   * is dropped, and any other exception is an error. The cause of an {@link ExecutionException} or
   * {@link CompletionException} counts instead of it.
   */
  static <T extends @Nullable Object> CallClassifier<T> standard() {
    return (result, failure) -> failure == null ? CallOutcome.SUCCESS : ofException(failure);
  }

  /** Classifies an exception as {@link #standard} does. */
  static CallOutcome ofException(Throwable failure) {
    var cause = failure.getCause();
    boolean wraps = failure instanceof ExecutionException || failure instanceof CompletionException;
    if (wraps && cause != null) return ofException(cause);
    return switch (failure) {
      case TimeoutException timeout -> CallOutcome.DROPPED;
      case InterruptedIOException timeout -> CallOutcome.DROPPED;
      case RejectedExecutionException overload -> CallOutcome.DROPPED;
      default -> isHttpTimeout(failure) ? CallOutcome.DROPPED : CallOutcome.ERROR;
    };
  }

  /** Compares names, since this module does not require that of the HTTP client. */
  private static boolean isHttpTimeout(Throwable failure) {
    for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
      if (type.getName().equals("java.net.http.HttpTimeoutException")) return true;
    }
    return false;
  }
}
