package io.headgate.spring.actuate;

import io.headgate.RateLimiter;
import io.headgate.spring.StoreStatus;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Reports the health of the limiter. While the store is unavailable it is {@code DEGRADED}, not
 * down: failure policies decide, and an application that restarts for it gains nothing.
 */
final class HeadgateHealthIndicator extends AbstractHealthIndicator {
  static final Status DEGRADED =
      new Status("DEGRADED", "the store is unavailable; failure policies decide");

  private final RateLimiter limiter;
  private final StoreStatus store;

  HeadgateHealthIndicator(RateLimiter limiter, StoreStatus store) {
    super("Headgate health check failed");
    this.limiter = limiter;
    this.store = store;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    builder.status(store.isUnavailable() ? DEGRADED : Status.UP);
    builder.withDetail("store", store.description());
    builder.withDetail("rules", limiter.rules().rules().size());
    store.unavailableSince().ifPresent(since -> builder.withDetail("since", since.toString()));
    store.problem().ifPresent(problem -> builder.withDetail("problem", problem));
  }
}
