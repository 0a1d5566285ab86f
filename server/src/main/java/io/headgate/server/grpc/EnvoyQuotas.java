package io.headgate.server.grpc;

import io.headgate.RateLimiter;
import io.headgate.server.quota.QuotaBook;
import io.headgate.server.quota.QuotaSettings;
import io.headgate.server.quota.QuotaStats;
import io.headgate.store.Budget;
import java.util.List;

/** The quota assignments of all event loops of one service. Thread-safe. */
public final class EnvoyQuotas {
  /** How often {@link #tick} is to be called. */
  public static final long TICK_MILLIS = 200;

  private final QuotaBook<BucketName> book;
  private final QuotaSettings settings;

  /** Creates the assignments for the rules and the store of a limiter. */
  public EnvoyQuotas(RateLimiter limiter, QuotaSettings settings) {
    this.book = new QuotaBook<>(limiter, settings, System::nanoTime);
    this.settings = settings;
  }

  QuotaBook<BucketName> book() {
    return book;
  }

  QuotaSettings settings() {
    return settings;
  }

  /** Expires assignments and releases permits that are not needed. */
  public void tick() {
    book.tick();
  }

  /** Returns the use of streams and buckets, and their refusals. */
  public List<Budget> budgets() {
    return book.budgets();
  }

  /** Returns the present figures. */
  public QuotaStats stats() {
    return book.stats();
  }
}
