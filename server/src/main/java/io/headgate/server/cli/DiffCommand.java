package io.headgate.server.cli;

import io.headgate.server.cli.options.ColourOption;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DiffText;
import io.headgate.server.cli.output.JsonReply;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows what changed. */
@Command(
    name = "diff",
    description = "Shows what revision N changed or, given two, what is different between them.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class DiffCommand implements Callable<Integer> {
  private final CommandContext around;
  private final ServiceClient client;

  @Mixin private RulesApiClient service;

  @Mixin private ColourOption colour;

  @Parameters(index = "0", paramLabel = "N", description = "A revision.")
  private long first;

  @Parameters(index = "1", arity = "0..1", paramLabel = "M", description = "Another.")
  private Optional<Long> second = Optional.empty();

  DiffCommand(CommandContext around, ServiceClient client) {
    this.around = around;
    this.client = client;
  }

  @Override
  public Integer call() {
    var path =
        second
            .map(other -> "/v1/revisions/%d?against=%d".formatted(other, first))
            .orElse("/v1/revisions/" + first);
    return RuleReads.of(() -> {
      var answer = service.get(client, path);
      if (service.json()) around.out().println(answer.body());
      else print(answer.json().at("diff"));
      return Main.OK;
    });
  }

  private void print(JsonReply diff) {
    if (!diff.isThere()) throw new CommandFailure("the revision before it is not kept any more");
    new DiffText(colour.applied(around)).print(diff);
    if (DiffText.isEmpty(diff)) around.out().println("No difference.");
  }
}
