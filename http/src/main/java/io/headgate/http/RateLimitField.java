package io.headgate.http;

/** A header field of the response to a checked request. */
public enum RateLimitField {
  /** The limits that apply, as a structured field. */
  POLICY("RateLimit-Policy"),
  /** The permits left of each limit, as a structured field. */
  CURRENT("RateLimit"),
  /** The capacity of the limit that determined the decision. */
  LEGACY_LIMIT("X-RateLimit-Limit"),
  /** The permits left of that limit. */
  LEGACY_REMAINING("X-RateLimit-Remaining"),
  /** The time at which that limit is back at its capacity, in seconds since 1970. */
  LEGACY_RESET("X-RateLimit-Reset"),
  /** Prevents caches from storing a denial. */
  CACHE_CONTROL("Cache-Control"),
  /** The time after which the request passes, in seconds. */
  RETRY_AFTER("Retry-After");

  private final String field;

  RateLimitField(String field) {
    this.field = field;
  }

  /** Returns the name of the header field. */
  public String field() {
    return field;
  }
}
