package io.headgate.spring.web;

import io.headgate.CheckResult;
import io.headgate.http.RequestChecker;
import io.headgate.rule.Request;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A checker that continues the observation of its caller. A publisher has it in the context of its
 * subscriber, since it changes threads. Implementations are thread-safe.
 */
public interface ContextualChecker extends RequestChecker {
  /** Returns the key of the caller's observation in the context of a subscriber. */
  Object callerKey();

  /**
   * Decides as {@link #checkAsync(Request)} does.
   *
   * @param caller the observation of the caller; null if it has none
   */
  CompletionStage<CheckResult> checkAsync(Request request, @Nullable Object caller);
}
