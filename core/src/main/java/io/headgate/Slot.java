package io.headgate;

import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import io.headgate.store.StoreException;
import io.headgate.store.Ticker;
import java.time.Duration;
import java.util.Optional;

/**
 * The result of an {@linkplain RateLimiter#acquire acquisition}, with the slots that were acquired.
 * Closing it releases them. If the request was denied there are none, and closing has no effect, so
 * that the same try-with-resources statement serves both cases.
 *
 * {@snippet file="io/headgate/LibraryExamplesTest.java" region="slot"}
 *
 * <p>An adaptive limit learns from calls that end with an outcome: {@link #success}, {@link
 * #error}, {@link #dropped} or {@link #release}. {@link #close} alone frees the slots and teaches
 * nothing, since it can't know whether the call has succeeded. {@link RateLimiter#call} does all of
 * it.
 *
 * {@snippet file="io/headgate/LibraryExamplesTest.java" region="outcome"}
 *
 * <p>Safe for use by several threads. The first release counts; later ones have no effect.
 */
public final class Slot implements AutoCloseable {
  private final RateLimiter limiter;
  private final Ticker ticker;
  private final CheckResult result;
  private final Optional<String> id;
  private final long acquiredAt;

  Slot(RateLimiter limiter, Ticker ticker, CheckResult result) {
    this.limiter = limiter;
    this.ticker = ticker;
    this.result = result;
    this.id = result.slotId();
    this.acquiredAt = id.isPresent() ? ticker.micros() : 0;
  }

  /** Returns the result of the check. */
  public CheckResult result() {
    return result;
  }

  /** Returns the decision of the check. */
  public Decision decision() {
    return result.decision();
  }

  /** Returns whether the request may go ahead. */
  public boolean isAllowed() {
    return result.isAllowed();
  }

  /**
   * Returns the id with which any instance can renew or release the slots; empty if there are none.
   */
  public Optional<String> id() {
    return id;
  }

  /** Renews the slots for a full lease from now; returns false if they have expired. */
  public boolean renew() {
    return id.map(limiter::renew).orElse(false);
  }

  /** Releases the slots after a call that succeeded, with the time since the acquisition. */
  public void success() {
    release(CallOutcome.SUCCESS);
  }

  /**
   * Releases the slots after a call that failed for a reason other than load, with the time since
   * the acquisition.
   */
  public void error() {
    release(CallOutcome.ERROR);
  }

  /**
   * Releases the slots after a call that timed out, or that the backend refused because of
   * overload, with the time since the acquisition.
   */
  public void dropped() {
    release(CallOutcome.DROPPED);
  }

  /** Releases the slots after a call, with the time since the acquisition as its duration. */
  public void release(CallOutcome outcome) {
    long micros = id.isPresent() ? Math.max(0, ticker.micros() - acquiredAt) : 0;
    release(new CompletedCall(outcome, Math.min(micros, CompletedCall.MAX_MICROS)));
  }

  /**
   * Releases the slots after a call.
   *
   * @param duration how long the call took; adaptive limits count at most the age of the slot
   * @throws IllegalArgumentException if the duration is negative
   */
  public void release(CallOutcome outcome, Duration duration) {
    release(CompletedCall.of(outcome, duration));
  }

  /**
   * Releases the slots. Idempotent. Ignores a {@link StoreException}: the slots expire without a
   * release. To detect that failure, call {@link RateLimiter#release}.
   */
  @Override
  public void close() {
    try {
      id.ifPresent(limiter::release);
    } catch (StoreException e) {
      // The slots expire.
    }
  }

  private void release(CompletedCall call) {
    try {
      id.ifPresent(slot -> limiter.release(slot, call));
    } catch (StoreException e) {
      // The slots expire.
    }
  }
}
