package io.headgate.server.cli;

import io.headgate.server.cli.options.ColourOption;
import io.headgate.server.cli.output.CommandContext;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Goes back. */
@Command(
    name = "restore",
    description = "Brings back the rules of an earlier revision, as a new one.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class RestoreCommand implements Callable<Integer> {
  private final CommandContext around;
  private final ServiceClient client;

  @Mixin private RulesApiClient service;

  @Mixin private RuleChangeOptions options;
  @Mixin private ColourOption colour;

  @Parameters(paramLabel = "N", description = "The revision; see headgate rules history.")
  private long number;

  RestoreCommand(CommandContext around, ServiceClient client) {
    this.around = around;
    this.client = client;
  }

  @Override
  public Integer call() {
    return new RuleChangeRunner(colour.applied(around), client, service, options, "")
        .make("POST", "/v1/revisions/%d/restore".formatted(number), BodyPublishers::noBody);
  }
}
