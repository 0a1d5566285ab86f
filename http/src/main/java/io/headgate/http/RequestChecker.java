package io.headgate.http;

import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.load.CallOutcome;
import io.headgate.rule.Request;
import io.headgate.store.MemoryStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests on behalf of a web server that delays a request no longer than a maximum. A
 * longer delay in the queue of a leaky bucket is a denial with the delay as its retry time, and
 * does not keep a place in the queue. Thread-safe.
 */
public final class RequestChecker {
  private final RateLimiter limiter;
  private final Duration maxDelay;
  private final CheckListener listener;
  private final QueueDetector queues = new QueueDetector();
  private final boolean remote;

  /**
   * Creates a checker.
   *
   * @param maxDelay the longest delay, at least 0
   * @throws IllegalArgumentException if the delay is negative
   */
  public RequestChecker(RateLimiter limiter, Duration maxDelay, CheckListener listener) {
    if (maxDelay.isNegative()) {
      throw new IllegalArgumentException("the longest delay must be at least 0, got " + maxDelay);
    }
    this.limiter = limiter;
    this.maxDelay = maxDelay;
    this.listener = listener;
    this.remote = !(limiter.store() instanceof MemoryStore);
  }

  /** Returns the limiter. */
  public RateLimiter limiter() {
    return limiter;
  }

  /** Returns whether the store is remote, so that {@link #checkAsync} completes on its threads. */
  public boolean isRemote() {
    return remote;
  }

  /**
   * Decides a request. The caller waits for the {@linkplain CheckResult#delay delay} of the result
   * and releases its {@linkplain #slots slots}.
   *
   * @throws io.headgate.store.StoreException if the store is unavailable and has no failure policy
   */
  public CheckResult check(Request request) {
    long start = System.nanoTime();
    var result = decide(request);
    listener.checked(request, result, System.nanoTime() - start);
    return result;
  }

  private CheckResult decide(Request request) {
    if (queues.isPresentIn(limiter.rules())) {
      var peeked = limiter.peek(request);
      if (isTooLong(peeked)) return peeked.withMaxWait(maxDelay);
    }
    return withinMaxDelay(limiter.checkForResult(request));
  }

  /** Decides as {@link #check} does, without blocking the calling thread. */
  public CompletionStage<CheckResult> checkAsync(Request request) {
    long start = System.nanoTime();
    CompletionStage<CheckResult> decided;
    if (!remote) {
      decided = CompletableFuture.completedFuture(decide(request));
    } else if (queues.isPresentIn(limiter.rules())) {
      // A peek blocks.
      decided = CompletableFuture.supplyAsync(() -> decide(request), Thread::startVirtualThread);
    } else {
      decided = limiter.checkForResultAsync(request).thenApply(this::withinMaxDelay);
    }
    return decided.thenApply(result -> {
      listener.checked(request, result, System.nanoTime() - start);
      return result;
    });
  }

  /** The queue may have grown after the peek, or the rules may have changed. */
  private CheckResult withinMaxDelay(CheckResult result) {
    if (!isTooLong(result)) return result;
    var slots = slots(result);
    if (slots != null) slots.releaseAsync(CallOutcome.DROPPED);
    return result.withMaxWait(maxDelay);
  }

  private boolean isTooLong(CheckResult result) {
    return result.delay().compareTo(maxDelay) > 0;
  }

  /** Returns the slots that an allowed request holds until its end; null if it has none. */
  public @Nullable HeldSlots slots(CheckResult result) {
    if (!limiter.rules().hasConcurrency()) return null;
    var id = result.slotId().orElse(null);
    return id == null ? null : new HeldSlots(limiter, id, remote);
  }
}
