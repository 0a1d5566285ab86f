package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes the rules as a file. */
@Command(
    name = "export",
    description = "Prints the rules of a running service as a file that apply takes.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ExportCommand implements Callable<Integer> {
  private final CommandContext around;
  private final ServiceClient client;

  @Mixin private RulesApiClient service;

  @Option(
      names = "--revision",
      paramLabel = "N",
      description = "As revision N left them. Default: the newest")
  private Optional<Long> revision = Optional.empty();

  ExportCommand(CommandContext around, ServiceClient client) {
    this.around = around;
    this.client = client;
  }

  @Override
  public Integer call() {
    var path = revision.map(number -> "/v1/revisions/" + number).orElse("/v1/rules");
    return RuleReads.of(() -> {
      if (service.json()) {
        var whole = revision.isPresent() ? path + "?rules=true" : path;
        around.out().println(service.get(client, whole).body().strip());
      } else {
        around.out().print(service.get(client, path, RulesApiClient.YAML).body());
        around.out().flush();
      }
      return Main.OK;
    });
  }
}
