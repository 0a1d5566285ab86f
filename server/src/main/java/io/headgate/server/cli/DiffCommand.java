package io.headgate.server.cli;

import io.headgate.server.cli.options.ColourOption;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DiffText;
import io.headgate.server.cli.output.JsonReply;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows the changes of a revision, or between two revisions. */
@Command(
    name = "diff",
    description = "Shows the changes of revision N or, given two, the differences between them.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class DiffCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private ServiceApi service;

  @Mixin private ColourOption colour;

  @Parameters(index = "0", paramLabel = "N", description = "A revision.")
  private long first;

  @Parameters(index = "1", arity = "0..1", paramLabel = "M", description = "Another revision.")
  private Optional<Long> second = Optional.empty();

  DiffCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    var path =
        second
            .map(other -> "/v1/revisions/%d?against=%d".formatted(other, first))
            .orElse("/v1/revisions/" + first);
    return ServiceReads.of(() -> {
      var answer = service.get(client, path, Map.of());
      if (service.json()) context.out().println(answer.body());
      else print(answer.json().at("diff"));
      return Main.OK;
    });
  }

  private void print(JsonReply diff) {
    if (!diff.isPresent())
      throw new CommandFailure("cannot compare: the preceding revision is no longer stored");
    new DiffText(colour.applied(context)).print(diff);
    if (DiffText.isEmpty(diff)) context.out().println("No difference.");
  }
}
