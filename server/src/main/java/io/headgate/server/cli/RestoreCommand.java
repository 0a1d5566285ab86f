package io.headgate.server.cli;

import io.headgate.server.cli.options.ColourOption;
import io.headgate.server.cli.output.CommandContext;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Restores an earlier revision of the rules. */
@Command(
    name = "restore",
    description = "Restores the rules of an earlier revision as a new revision.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class RestoreCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private ServiceApi service;

  @Mixin private RuleChangeOptions options;
  @Mixin private ColourOption colour;

  @Parameters(paramLabel = "N", description = "The revision; see headgate rules history.")
  private long number;

  RestoreCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    return new RuleChangeRunner(colour.applied(context), client, service, options, "")
        .run("POST", "/v1/revisions/%d/restore".formatted(number), BodyPublishers::noBody);
  }
}
