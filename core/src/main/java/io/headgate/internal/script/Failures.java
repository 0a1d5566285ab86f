package io.headgate.internal.script;

import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Unwraps the failures of asynchronous operations. */
public final class Failures {
  /** Returns the cause behind any wrappers of {@code java.util.concurrent}. */
  public static Throwable rootOf(Throwable problem) {
    var root = problem;
    while ((root instanceof CompletionException || root instanceof ExecutionException)
        && root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  /** Returns the failure behind any wrappers, as a {@link StoreException}. */
  public static StoreException asStoreException(Throwable problem) {
    var root = rootOf(problem);
    return root instanceof StoreException storeException
        ? storeException
        : new StoreException(Kind.OTHER, String.valueOf(root), root);
  }

  /**
   * Returns the failure of a command that gives back its charges when its reply arrives late. A
   * reply that was lost with its connection gives back nothing.
   */
  static Throwable givenBack(Throwable problem) {
    if (!(problem instanceof StoreException failure)) return problem;
    return switch (failure.kind()) {
      case TIMEOUT, INTERRUPTED -> failure.givenBack();
      case CONNECTION, REFUSED, OVERLOADED, FULL, OTHER -> failure;
    };
  }

  private Failures() {}
}
