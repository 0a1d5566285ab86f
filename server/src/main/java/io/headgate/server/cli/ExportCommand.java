package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the rules of a running service as a rule file. */
@Command(
    name = "export",
    description = "Prints the rules of a running service as a rule file for apply.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ExportCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private ServiceApi service;

  @Option(
      names = "--revision",
      paramLabel = "N",
      description = "The revision to export. Default: the newest")
  private Optional<Long> revision = Optional.empty();

  ExportCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    var path = revision.map(number -> "/v1/revisions/" + number).orElse("/v1/rules");
    return ServiceReads.of(() -> {
      if (service.json()) {
        var whole = revision.isPresent() ? path + "?rules=true" : path;
        context.out().println(service.get(client, whole, "rules").body().strip());
      } else {
        context.out().print(service.get(client, path, ServiceApi.YAML).body());
        context.out().flush();
      }
      return Main.OK;
    });
  }
}
