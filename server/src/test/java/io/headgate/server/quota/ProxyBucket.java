package io.headgate.server.quota;

/**
 * A model of one bucket in Envoy, by the comments of its protocol: a strategy that equals the
 * active one extends it, any other one replaces it, and a token bucket begins full and is refilled
 * continuously. Without an active assignment every request is denied. Times are in nanoseconds. Not
 * thread-safe.
 */
public final class ProxyBucket {
  private static final double NANOS_PER_YEAR = 365 * 86_400e9;

  private final boolean allowsUnassigned;
  private QuotaStrategy active = new QuotaStrategy.DenyAll();
  private boolean assigned;
  private double tokens;
  private long filledAt;
  private long expiresAt;
  private long allowed;
  private long denied;
  private long everAllowed;

  /**
   * Creates a bucket.
   *
   * @param allowsUnassigned whether requests are admitted while there is no assignment
   */
  public ProxyBucket(boolean allowsUnassigned) {
    this.allowsUnassigned = allowsUnassigned;
  }

  /** Applies an action. An action that replaces is preceded by one that denies. */
  public void apply(QuotaStrategy strategy, boolean replaces, long ttl, long now) {
    if (replaces) apply(new QuotaStrategy.DenyAll(), ttl, now);
    apply(strategy, ttl, now);
  }

  /** Applies one assignment of a message. */
  public void apply(QuotaStrategy strategy, long ttl, long now) {
    boolean same = assigned && now < expiresAt && strategy.equals(active);
    if (!same && strategy instanceof QuotaStrategy.Tokens(long permits)) {
      tokens = permits;
      filledAt = now;
    }
    active = strategy;
    assigned = true;
    expiresAt = now + ttl;
  }

  /** Drops the assignment. */
  public void abandon() {
    assigned = false;
  }

  /** Decides a request. */
  public boolean request(long now) {
    boolean admits = admits(now);
    if (admits) {
      allowed++;
      everAllowed++;
    } else {
      denied++;
    }
    return admits;
  }

  private boolean admits(long now) {
    if (!assigned || now >= expiresAt) return allowsUnassigned;
    return switch (active) {
      case QuotaStrategy.AllowAll all -> true;
      case QuotaStrategy.DenyAll none -> false;
      case QuotaStrategy.Tokens(long permits) -> {
        tokens = Math.min((double) permits, tokens + (now - filledAt) / NANOS_PER_YEAR);
        filledAt = now;
        if (tokens < 1) yield false;
        tokens--;
        yield true;
      }
    };
  }

  /** The requests since the last report. */
  public record Report(long allowed, long denied) {}

  /** Returns the requests since the last call. */
  public Report report() {
    var report = new Report(allowed, denied);
    allowed = 0;
    denied = 0;
    return report;
  }

  /** Returns all requests that were admitted. */
  public long everAllowed() {
    return everAllowed;
  }

  /** Returns whether an assignment has arrived. */
  public boolean isAssigned() {
    return assigned;
  }

  /** Returns the strategy that was applied last. */
  public QuotaStrategy active() {
    return active;
  }
}
