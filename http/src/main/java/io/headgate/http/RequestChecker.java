package io.headgate.http;

import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.rule.Request;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests on behalf of a web server that delays a request no longer than a maximum. A
 * longer delay in the queue of a leaky bucket is a denial with the delay as its retry time.
 * Implementations are thread-safe.
 */
public interface RequestChecker {
  /**
   * Creates a checker that decides by a limiter. A request that would be delayed for too long does
   * not keep a place in the queue.
   *
   * @param maxDelay the longest delay, at least 0
   * @throws IllegalArgumentException if the delay is negative
   */
  static RequestChecker of(RateLimiter limiter, Duration maxDelay, CheckListener listener) {
    return new LimiterChecker(limiter, maxDelay, listener);
  }

  /** Returns whether decisions are made elsewhere, so that a check may wait for the network. */
  boolean isRemote();

  /**
   * Decides a request. The caller waits for the {@linkplain CheckResult#delay delay} of the result
   * and releases its {@linkplain #slots slots}.
   *
   * @throws io.headgate.store.StoreException if the store is unavailable and has no failure policy
   */
  CheckResult check(Request request);

  /** Decides as {@link #check} does, without blocking the calling thread. */
  CompletionStage<CheckResult> checkAsync(Request request);

  /** Returns the slots that an allowed request holds until its end; null if it has none. */
  @Nullable HeldSlots slots(CheckResult result);
}
