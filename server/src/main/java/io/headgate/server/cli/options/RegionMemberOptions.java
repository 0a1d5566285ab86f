package io.headgate.server.cli.options;

import static io.headgate.server.cli.options.StoreOptions.withOptionName;

import io.headgate.redis.HomeService;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RegionHome;
import io.headgate.redis.RegionOptions;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options of an instance of one of several regions. */
public final class RegionMemberOptions {
  @Option(
      names = "--region",
      paramLabel = "NAME",
      description =
          "The region of this instance, if limits are shared with other regions. --store is then"
              + " the Redis of the region. Needs --home. Default: none")
  private Optional<String> region = Optional.empty();

  @Option(
      names = "--home",
      paramLabel = "WHERE",
      description =
          "Where the counters are that regions share: a Redis, redis://…, rediss://… or"
              + " redis-sentinel://…, or http(s)://host:port of a region's service that has such"
              + " a --home; the same Redis in all regions. Default: none")
  private Optional<String> home = Optional.empty();

  @Option(
      names = "--home-token",
      paramLabel = "TOKEN",
      description = "The region token of a --home that is a service. Default: none")
  private Optional<String> token = Optional.empty();

  @Option(
      names = "--home-ca",
      paramLabel = "FILE",
      description =
          "Certificates (PEM) to trust for a --home of https:// or rediss:// instead of the"
              + " system's. Default: none")
  private Optional<Path> ca = Optional.empty();

  @Option(
      names = "--home-timeout",
      paramLabel = "TIME",
      defaultValue = "1s",
      converter = DurationText.class,
      description = "How long a request to --home waits for the reply. Default: ${DEFAULT-VALUE}")
  private Duration timeout = RegionOptions.DEFAULT_HOME_DEADLINE;

  @Option(
      names = "--region-lease",
      paramLabel = "TIME",
      defaultValue = "30s",
      converter = DurationText.class,
      description =
          "How long a region spends its share while --home is unreachable, 500ms to 5m; the same"
              + " in all regions. Default: ${DEFAULT-VALUE}")
  private Duration lease = RegionOptions.DEFAULT_LEASE;

  /**
   * Returns the options of a region; empty if none is given.
   *
   * @param directory what relative paths are resolved against
   * @param regional the Redis of the region; empty if the store is not Redis
   * @param prefix the prefix of every key
   * @throws CommandFailure if an option is not valid
   */
  Optional<RegionOptions> options(Path directory, Optional<RedisOptions> regional, String prefix) {
    if (region.isEmpty() && home.isEmpty()) return Optional.empty();
    if (region.isEmpty()) {
      throw new CommandFailure("--home needs --region, the name of this instance's region");
    }
    if (home.isEmpty()) {
      throw new CommandFailure(
          "--region needs --home, the Redis or service with the counters that regions share");
    }
    if (regional.isEmpty()) {
      throw new CommandFailure("--region needs a Redis of the region; set --store redis://…");
    }
    var atHome = withOptionName("--home", () -> home(directory, home.get(), prefix));
    return Optional.of(
        withOptionName(
            "--region", () -> new RegionOptions(region.get(), regional.get(), atHome, lease)));
  }

  private RegionHome home(Path directory, String address, String prefix) {
    var scheme = address.toLowerCase(Locale.ROOT);
    var trusted =
        ca.map(file ->
            PemOption.requireCertificates(
                "--home-ca",
                "--home",
                directory.resolve(file),
                scheme.startsWith("https:") || scheme.startsWith("rediss")
                    ? ""
                    : "https:// or rediss"));
    if (HomeService.isService(address)) {
      var service = HomeService.of(address, token, timeout);
      return trusted.map(service::withCa).orElse(service);
    }
    if (token.isPresent()) {
      throw new CommandFailure(
          "--home-token needs a service as --home, http(s)://host:port; the password of a Redis is"
              + " part of its address");
    }
    var redis = redis(address).prefix(prefix).deadline(timeout);
    trusted.ifPresent(redis::ca);
    return redis.build();
  }

  private static RedisOptions.Builder redis(String address) {
    try {
      return RedisOptions.builder(address);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          e.getMessage() + ", or http(s)://host:port of the service of a region", e);
    }
  }
}
