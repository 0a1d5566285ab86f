package io.headgate.server.cli.options;

import io.headgate.server.anomaly.WebhookTarget;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.stats.StatsSettings;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What is watched, and who is told. */
public final class StatsOptions {
  @Option(
      names = "--caller-attributes",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "key,user,client,api-key,account,tenant,ip,remote_address,remote-address",
      description =
          "The attributes that name a caller where callers are listed: the first that a request has."
              + " Default: ${DEFAULT-VALUE}")
  private List<String> callerAttributes = List.of();

  @Option(
      names = "--webhook",
      paramLabel = "URL",
      description =
          "An address (http or https) that is told of anomalies when they open and when they end."
              + " Default: none")
  private Optional<String> webhook = Optional.empty();

  @Option(
      names = "--webhook-secret",
      paramLabel = "SECRET",
      description =
          "What those messages are signed with (HMAC-SHA256), at least 16 characters. Default: none")
  private Optional<String> secret = Optional.empty();

  public StatsSettings settings() {
    if (secret.isPresent() && webhook.isEmpty()) {
      throw new CommandFailure("--webhook-secret is for --webhook, which is not given");
    }
    try {
      return new StatsSettings(
          callerAttributes, webhook.map(address -> WebhookTarget.of(address, secret)));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }
}
