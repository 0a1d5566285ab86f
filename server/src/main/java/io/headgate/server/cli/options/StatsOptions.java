package io.headgate.server.cli.options;

import io.headgate.server.anomaly.WebhookTarget;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.stats.StatsSettings;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options of the statistics and of the webhook for anomalies. */
public final class StatsOptions {
  @Option(
      names = "--caller-attributes",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "key,user,client,api-key,account,tenant,ip,remote_address,remote-address",
      description =
          "The attributes that identify a caller in statistics; the first one that a request"
              + " has is used. Default: ${DEFAULT-VALUE}")
  private List<String> callerAttributes = List.of();

  @Option(
      names = "--webhook",
      paramLabel = "URL",
      description =
          "A URL (http or https) that is notified when an anomaly begins and when it ends."
              + " Default: none")
  private Optional<String> webhook = Optional.empty();

  @Option(
      names = "--webhook-secret",
      paramLabel = "SECRET",
      description =
          "The secret that webhook requests are signed with (HMAC-SHA256), at least 16"
              + " characters. Default: none")
  private Optional<String> secret = Optional.empty();

  /**
   * Returns the settings.
   *
   * @throws CommandFailure if they are not valid
   */
  public StatsSettings settings() {
    if (secret.isPresent() && webhook.isEmpty()) {
      throw new CommandFailure("--webhook-secret needs --webhook");
    }
    try {
      return new StatsSettings(
          callerAttributes, webhook.map(address -> WebhookTarget.of(address, secret)));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }
}
