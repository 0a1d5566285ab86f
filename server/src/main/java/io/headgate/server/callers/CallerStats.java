package io.headgate.server.callers;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Statistics of one of the top callers.
 *
 * @param subject the attributes of its last request, possibly shortened
 * @param allowed weight of allowed checks, which decays with time; never too low
 * @param denied weight of denied checks, as above
 * @param perSecond rate of all its checks over about the last ten seconds
 * @param burstRatio its busiest second relative to its mean, if known
 * @param sinceMillis when it was first seen since it was last dropped
 * @param error by how much the sum of allowed and denied may be too high
 * @param rules rules that denied it or, if none did, rules that decided, most recent first
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
