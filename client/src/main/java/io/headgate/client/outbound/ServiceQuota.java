package io.headgate.client.outbound;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The quota that one service has left for this client, by its {@code RateLimit}, {@code
 * RateLimit-Policy} and {@code Retry-After} fields. Each request takes a permit of every policy
 * before it is sent. A response reports what is left; requests that are still in flight are
 * deducted from it, since the service may not have counted them. Thread-safe; times are of {@link
 * System#nanoTime}.
 */
final class ServiceQuota {
  /** A service can't stop its clients for longer. */
  private static final long MAX_SECONDS = Duration.ofDays(1).toSeconds();

  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private static final class Policy {
    long remaining;
    long resetAt;
    boolean resets; // whether resetAt is known
    long period = SECOND; // until the next reset, if no response reports another
    long quota = 1; // after a reset; one request then learns how much there is
  }

  private final Map<String, Policy> policies = new HashMap<>();
  private long blockedUntil;
  private boolean blocked;
  private int inFlight;
  private boolean alone; // whether no other request was in flight since the present one was sent

  /**
   * Takes a permit of each policy.
   *
   * @return 0 if the request may be sent, otherwise the nanoseconds to wait before trying again
   */
  synchronized long take(long now) {
    if (blocked && now - blockedUntil >= 0) blocked = false;
    long wait = blocked ? blockedUntil - now : 0;
    for (var policy : policies.values()) {
      if (policy.resets && now - policy.resetAt >= 0) {
        policy.remaining = policy.quota;
        policy.resetAt = now + policy.period;
      }
      if (policy.remaining > 0 || !policy.resets) continue;
      wait = Math.max(wait, policy.resetAt - now);
    }
    if (wait > 0) return wait;
    policies.values().forEach(policy -> policy.remaining--);
    alone = inFlight++ == 0;
    return 0;
  }

  /** Returns the permits of a request that was not sent. */
  synchronized void putBack() {
    inFlight--;
    policies.values().forEach(policy -> policy.remaining++);
  }

  /** Records a request that was sent and got no response. */
  synchronized void failed() {
    inFlight--;
  }

  /** Records a response. */
  synchronized void answered(int status, HttpHeaders headers, long now) {
    inFlight--;
    var limits = QuotaField.parse(headers.allValues("RateLimit-Policy"));
    for (var left : QuotaField.parse(headers.allValues("RateLimit"))) {
      var remaining = left.numbers().get("r");
      if (remaining == null || remaining < 0) continue;
      var policy = policies.get(left.name());
      if (policy == null) {
        if (policies.size() >= QuotaField.MAX_ITEMS) continue;
        policy = new Policy();
        policy.remaining = Long.MAX_VALUE;
        policies.put(left.name(), policy);
      }
      // Responses of concurrent requests may arrive in any order, so that they can only lower it.
      long reported = Math.max(0, remaining - inFlight);
      policy.remaining = alone ? reported : Math.min(policy.remaining, reported);
      var reset = left.numbers().get("t");
      Long window = null;
      for (var limit : limits) {
        if (!limit.name().equals(left.name())) continue;
        policy.quota = Math.max(1, limit.numbers().getOrDefault("q", 1L));
        window = limit.numbers().get("w");
        if (reset == null) reset = window;
      }
      policy.resets = reset != null && reset >= 0;
      if (policy.resets && reset != null) {
        policy.resetAt = now + seconds(reset);
        policy.period = Math.max(SECOND, seconds(window == null ? reset : window));
      }
    }
    if (status != 429 && status != 503) return;
    var retry = retryAfter(headers);
    if (retry.isEmpty()) return;
    blocked = true;
    blockedUntil = now + seconds(retry.getAsLong());
  }

  private static long seconds(long seconds) {
    return Math.min(seconds, MAX_SECONDS) * SECOND;
  }

  private static OptionalLong retryAfter(HttpHeaders headers) {
    String text = headers.firstValue("Retry-After").orElse("").strip();
    if (text.matches("[0-9]{1,15}")) return OptionalLong.of(Long.parseLong(text));
    try {
      var date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      long millis = Duration.between(Instant.now(), date).toMillis();
      return OptionalLong.of(Math.max(0, Math.ceilDiv(millis, 1_000)));
    } catch (DateTimeParseException e) {
      return OptionalLong.empty();
    }
  }
}
