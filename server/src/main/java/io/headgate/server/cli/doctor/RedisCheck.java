package io.headgate.server.cli.doctor;

import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisServerInfo;
import io.headgate.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Checks that Redis is reachable, fast enough, and keeps what it is given, and the layout of keys.
 */
public final class RedisCheck {
  private static final String TOPIC = "store";
  private static final Duration MAX_CLOCK_DIFFERENCE = Duration.ofSeconds(1);
  private static final int OLDEST_MAJOR = 6;
  private static final int OLDEST_MINOR = 2;

  private RedisCheck() {}

  /** Checks every primary. */
  public static List<Finding> of(RedisOptions options) {
    List<RedisServerInfo> servers;
    try {
      servers = RedisServerInfo.read(options);
    } catch (StoreException e) {
      return List.of(
          Finding.problem(
              TOPIC,
              String.valueOf(e.getMessage()),
              "start Redis, or correct --store; until then each rule's on-store-failure policy"
                  + " decides"));
    }
    var findings = new ArrayList<Finding>();
    for (var server : servers) findings.addAll(of(server, options.deadline()));
    LayoutCheck.of(options).ifPresent(findings::add);
    return findings;
  }

  static List<Finding> of(RedisServerInfo server, Duration timeout) {
    var findings = new ArrayList<Finding>();
    String name = "Redis at " + server.server();
    findings.add(
        Finding.ok(
            TOPIC,
            "%s, %s, round trip %s"
                .formatted(
                    name,
                    server.version().map(version -> "version " + version).orElse("version unknown"),
                    millis(server.roundTrip()))));
    if (server.version().filter(RedisCheck::isTooOld).isPresent()) {
      findings.add(
          Finding.problem(
              TOPIC,
              "%s is version %s".formatted(name, server.version().get()),
              "use Redis 6.2 or newer (6.2.6 and 7.0.15 are tested)"));
    }
    if (server.roundTrip().multipliedBy(4).compareTo(timeout) > 0) {
      findings.add(
          Finding.warning(
              TOPIC,
              "a round trip to %s takes %s, and --store-timeout is %s"
                  .formatted(name, millis(server.roundTrip()), millis(timeout)),
              "raise --store-timeout, or run Redis nearer; decisions that miss it follow each"
                  + " rule's on-store-failure policy"));
    }
    if (server.clockDifference().abs().compareTo(MAX_CLOCK_DIFFERENCE) > 0) {
      findings.add(
          Finding.warning(
              TOPIC,
              "the clock of %s is %s %s this machine's"
                  .formatted(
                      name,
                      millis(server.clockDifference().abs()),
                      server.clockDifference().isNegative() ? "behind" : "ahead of"),
              "synchronize the clocks (NTP); limits use the clock of Redis, schedules of rules use"
                  + " this machine's"));
    }
    if (server.evicts()) {
      findings.add(
          Finding.warning(
              TOPIC,
              "%s may evict counters: maxmemory-policy %s, maxmemory %d"
                  .formatted(
                      name, server.evictionPolicy().orElse(""), server.maxMemory().orElse(0)),
              "set maxmemory-policy noeviction, or use a Redis of its own: an evicted counter"
                  + " starts afresh, with all its permits"));
    }
    return findings;
  }

  private static boolean isTooOld(String version) {
    var parts = version.split("\\.", 3);
    try {
      int major = Integer.parseInt(parts[0]);
      int minor = parts.length > 1 ? Integer.parseInt(parts[1]) : 0;
      return major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR);
    } catch (NumberFormatException e) {
      return false; // not a version of Redis
    }
  }

  private static String millis(Duration duration) {
    return String.format(Locale.ROOT, "%.1f ms", duration.toNanos() / 1e6);
  }
}
