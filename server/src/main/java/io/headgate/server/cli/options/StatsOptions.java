package io.headgate.server.cli.options;

import io.headgate.server.anomaly.WebhookTarget;
import io.headgate.server.api.AccessControl;
import io.headgate.server.callers.CallerMask;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.stats.StatsSettings;
import java.nio.file.Path;
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
      names = "--mask-callers",
      arity = "0..1",
      paramLabel = "true|false",
      fallbackValue = "true",
      defaultValue = "false",
      description =
          "Show callers shortened, with a keyed hash, in statistics, webhooks and logs; whole"
              + " names need an admin token. Default: ${DEFAULT-VALUE}")
  private boolean maskCallers;

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
   * @param access its admin token is the key of masked names
   * @param data the directory of the key of masked names if there is no admin token
   * @throws CommandFailure if they are not valid
   */
  public StatsSettings settings(AccessControl access, Path data) {
    if (secret.isPresent() && webhook.isEmpty()) {
      throw new CommandFailure("--webhook-secret needs --webhook");
    }
    try {
      return new StatsSettings(
          callerAttributes,
          webhook.map(address -> WebhookTarget.of(address, secret)),
          maskCallers ? mask(access, data) : CallerMask.NONE);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }

  private CallerMask mask(AccessControl access, Path data) {
    var derived = access.deriveKey("mask-callers");
    return CallerMask.of(derived.orElseGet(() -> MaskKeyFile.readOrCreate(data)), callerAttributes);
  }
}
