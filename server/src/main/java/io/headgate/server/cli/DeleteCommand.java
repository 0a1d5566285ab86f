package io.headgate.server.cli;

import io.headgate.server.cli.options.ColourOption;
import io.headgate.server.cli.output.CommandContext;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Deletes one rule of a running service. */
@Command(
    name = "delete",
    description = "Deletes one rule of a running service.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class DeleteCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private ServiceApi service;

  @Mixin private RuleChangeOptions options;
  @Mixin private ColourOption colour;

  @Parameters(paramLabel = "ID", description = "The id of the rule.")
  private String id = "";

  DeleteCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    return new RuleChangeRunner(colour.applied(context), client, service, options, "")
        .run("DELETE", "/v1/rules/" + ServiceApi.encoded(id), BodyPublishers::noBody);
  }
}
