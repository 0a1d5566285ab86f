package io.headgate.server.cli;

import io.headgate.rulefile.RuleFile;
import io.headgate.server.cli.output.CommandContext;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one rule of a running service in YAML. */
@Command(
    name = "show",
    description = "Shows one rule of a running service.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ShowCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private ServiceApi service;

  @Parameters(paramLabel = "ID", description = "The id of the rule.")
  private String id = "";

  ShowCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    return ServiceReads.of(() -> {
      var answer = service.get(client, "/v1/rules/" + ServiceApi.encoded(id), "id");
      if (service.json()) context.out().println(answer.body());
      else context.out().print(RuleFile.yaml(List.of(RuleFile.readStoredRule(answer.body()))));
      context.out().flush();
      return Main.OK;
    });
  }
}
