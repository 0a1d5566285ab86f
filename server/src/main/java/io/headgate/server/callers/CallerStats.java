package io.headgate.server.callers;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * One of the callers that ask most.
 *
 * @param subject what it was asked with last, or the part of it that is kept
 * @param allowed of the last while, older ones counting for less; not below the truth
 * @param perSecond all it asks, over the last ten seconds or so
 * @param burstRatio its busiest second against its mean; empty if that is not known
 * @param sinceMillis when it was first seen, or came back
 * @param error by how much allowed and denied together may be too high
 * @param rules that denied it or, if none did, that decided
 */
public record CallerStats(
    String caller,
    Map<String, String> subject,
    double allowed,
    double denied,
    double perSecond,
    double deniedPerSecond,
    OptionalDouble burstRatio,
    long sinceMillis,
    long lastMillis,
    double error,
    List<String> rules) {
  public CallerStats {
    rules = List.copyOf(rules);
  }

  double all() {
    return allowed + denied;
  }
}
