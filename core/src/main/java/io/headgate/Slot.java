package io.headgate;

import io.headgate.store.StoreException;
import java.util.Optional;

/**
 * The result of an {@linkplain RateLimiter#acquire acquisition}, with the slots that were acquired.
 * Closing it releases them. If the request was denied there are none, and closing has no effect, so
 * that the same try-with-resources statement serves both cases.
 *
 * {@snippet file="io/headgate/LibraryExamplesTest.java" region="slot"}
 *
 * <p>Safe for use by several threads.
 */
public final class Slot implements AutoCloseable {
  private final RateLimiter limiter;
  private final CheckResult result;
  private final Optional<String> id;

  Slot(RateLimiter limiter, CheckResult result) {
    this.limiter = limiter;
    this.result = result;
    this.id = result.slotId();
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
}
