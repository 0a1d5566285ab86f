package io.headgate.redis;

import io.headgate.internal.region.RegionShares.RuleShares;
import io.headgate.rule.RegionSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one instance reports of its region. Immutable.
 *
 * @param region the name of the region
 * @param instance the id of the instance
 * @param age the time since the report, by home's clock
 * @param revision the revision of the rules in force; -1 if unknown
 * @param roundTrip the time of the last answered request to home
 * @param rules the shares by rule, at most {@link #MAX_RULES}: those with most demand
 */
public record RegionReport(
    String region,
    String instance,
    Duration age,
    long revision,
    Duration roundTrip,
    Map<String, Share> rules) {
  /** The number of values of each instance in a reply of home: its id, the age, and the report. */
  static final int FIELDS = 3;

  /** The highest number of rules in a report. */
  public static final int MAX_RULES = 100;

  /**
   * The shares of one rule.
   *
   * @param counters the number of counters with a share
   * @param held the permits that the instance can spend
   * @param demandPerSecond the permits requested per second
   */
  public record Share(long counters, long held, double demandPerSecond) {}

  /** Returns the report as text, which {@link #parse} reads. */
  static String text(
      String region, long revision, long roundTripMicros, Map<String, RuleShares> rules) {
    var text = new StringBuilder();
    text.append(region).append('\t').append(revision).append('\t').append(roundTripMicros);
    var most = new ArrayList<>(rules.entrySet());
    most.sort(Comparator.comparingDouble(rule -> -rule.getValue().demandPerSecond()));
    for (var rule : most.subList(0, Math.min(MAX_RULES, most.size()))) {
      var share = rule.getValue();
      text.append('\n').append(rule.getKey());
      text.append('\t').append(share.counters()).append('\t').append(share.held());
      text.append('\t').append(Math.round(share.demandPerSecond() * 1_000));
    }
    return text.toString();
  }

  /** Reads a report; empty if it is not one, for example of a later version. */
  static Optional<RegionReport> parse(String instance, long ageMillis, String text) {
    try {
      var lines = List.of(text.split("\n", -1));
      var head = lines.getFirst().split("\t", -1);
      var rules = new LinkedHashMap<String, Share>();
      for (var line : lines.subList(1, Math.min(lines.size(), MAX_RULES + 1))) {
        var fields = line.split("\t", -1);
        // Another region has written it, and it is printed to terminals.
        if (fields[0].chars().anyMatch(Character::isISOControl)) return Optional.empty();
        rules.put(
            fields[0],
            new Share(
                Long.parseLong(fields[1]),
                Long.parseLong(fields[2]),
                Long.parseLong(fields[3]) / 1e3));
      }
      return Optional.of(
          new RegionReport(
              RegionSettings.requireRegion(head[0]),
              instance,
              Duration.ofMillis(ageMillis),
              Long.parseLong(head[1]),
              Duration.ofNanos(Long.parseLong(head[2]) * 1_000),
              rules));
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      return Optional.empty();
    }
  }
}
