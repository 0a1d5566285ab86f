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

/** Decides requests by a limiter of this process. Thread-safe. */
final class LimiterChecker implements RequestChecker {
  private final RateLimiter limiter;
  private final Duration maxDelay;
  private final CheckListener listener;
  private final QueueDetector queues = new QueueDetector();
  private final boolean remote;

  /** Creates a checker; see {@link RequestChecker#of}. */
  LimiterChecker(RateLimiter limiter, Duration maxDelay, CheckListener listener) {
    if (maxDelay.isNegative()) {
      throw new IllegalArgumentException("the longest delay must be at least 0, got " + maxDelay);
    }
    this.limiter = limiter;
    this.maxDelay = maxDelay;
    this.listener = listener;
    this.remote = !(limiter.store() instanceof MemoryStore);
  }

  @Override
  public boolean isRemote() {
    return remote;
  }

  @Override
  public CheckResult check(Request request) {
    long start = System.nanoTime();
    var result = decide(request);
    listener.checked(request, result, System.nanoTime() - start);
    return result;
  }

  private CheckResult decide(Request request) {
    if (mayBeTooLong()) {
      var peeked = limiter.peek(request);
      if (isTooLong(peeked)) return peeked.withMaxWait(maxDelay);
    }
    return withinMaxDelay(limiter.checkForResult(request));
  }

  /**
   * Whether to peek first, so that a request that is denied for its delay keeps no place in the
   * queue. Shorter queues need no second call of the store.
   */
  private boolean mayBeTooLong() {
    return queues.longestDelay(limiter.rules()).compareTo(maxDelay) > 0;
  }

  @Override
  public CompletionStage<CheckResult> checkAsync(Request request) {
    long start = System.nanoTime();
    CompletionStage<CheckResult> decided;
    if (!remote) {
      decided = CompletableFuture.completedFuture(decide(request));
    } else if (mayBeTooLong()) {
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

  @Override
  public @Nullable HeldSlots slots(CheckResult result) {
    if (!limiter.rules().hasConcurrency()) return null;
    var id = result.slotId().orElse(null);
    return id == null ? null : new HeldSlots(call -> limiter.release(id, call), remote);
  }
}
