package io.headgate;

import io.headgate.store.StoreException;
import java.util.Optional;

/**
 * What came of asking for slots: the verdict, and the slots if there are any. Closing it gives them
 * back, so it fits a try statement whatever the verdict was.
 */
public final class Slot implements AutoCloseable {
  private final RateLimiter limiter;
  private final CheckResult verdict;
  private final Optional<String> id;

  Slot(RateLimiter limiter, CheckResult verdict) {
    this.limiter = limiter;
    this.verdict = verdict;
    this.id = verdict.lease();
  }

  public CheckResult verdict() {
    return verdict;
  }

  public Decision decision() {
    return verdict.decision();
  }

  public boolean isAllowed() {
    return verdict.isAllowed();
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
