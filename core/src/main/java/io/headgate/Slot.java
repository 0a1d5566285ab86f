package io.headgate;

import io.headgate.store.StoreException;
import java.util.Optional;

/**
 * What came of asking for slots: the result, and the slots if there are any. Closing it gives them
 * back, so it fits a try statement whatever the result was.
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

  public CheckResult result() {
    return result;
  }

  public Decision decision() {
    return result.decision();
  }

  public boolean isAllowed() {
    return result.isAllowed();
  }

  /** Names the slots for whoever renews or releases them elsewhere; empty if there are none. */
  public Optional<String> id() {
    return id;
  }

  /** Extends the lease to its full length from now; false if it has ended already. */
  public boolean renew() {
    return id.map(limiter::renew).orElse(false);
  }

  /**
   * Gives the slots back. A second time does nothing. While the store is away nothing is thrown:
   * the work is done, nobody could do better than wait, and a lease that is not given back ends by
   * itself.
   */
  @Override
  public void close() {
    try {
      id.ifPresent(limiter::release);
    } catch (StoreException e) {
      // It ends by itself. Who has to know calls RateLimiter.release.
    }
  }
}
