package io.headgate.examples.llm;

import com.sun.net.httpserver.Headers;
import io.headgate.CheckResult;
import io.headgate.Decision;
import java.time.Duration;

/** Writes the response headers with which clients of language models pace themselves. */
final class ModelLimitHeaders {
  private ModelLimitHeaders() {}

  /**
   * Writes {@code x-ratelimit-{limit,remaining,reset}-{requests,tokens}} of the team, and {@code
   * retry-after} of a denial.
   */
  static void write(CheckResult result, Headers headers) {
    for (var limit : result.limits()) {
      if (!limit.rule().equals("team") || !limit.isKnown()) continue;
      headers.set("x-ratelimit-limit-" + limit.name(), Long.toString(limit.limit()));
      headers.set("x-ratelimit-remaining-" + limit.name(), Long.toString(limit.remaining()));
      headers.set("x-ratelimit-reset-" + limit.name(), text(limit.resetAfter()));
    }
    if (result.decision() instanceof Decision.Denied(var retryAfter)) {
      headers.set("retry-after", Long.toString(Math.ceilDiv(retryAfter.toMillis(), 1_000L)));
    }
  }

  /** Returns a duration such as {@code 12ms} or {@code 6m0s}. */
  static String text(Duration duration) {
    if (duration.toSeconds() == 0) return duration.toMillis() + "ms";
    if (duration.toMinutes() == 0) return duration.toSeconds() + "s";
    return "%dm%ds".formatted(duration.toMinutes(), duration.toSecondsPart());
  }
}
