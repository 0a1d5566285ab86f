package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.JsonReply;
import io.headgate.server.cli.output.RuleText;
import io.headgate.server.cli.output.TextTable;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the rules of a running service as a table. */
@Command(
    name = "list",
    description = "Lists the rules of a running service.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ListCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private ServiceApi service;

  @Option(
      names = "--search",
      paramLabel = "TEXT",
      description = "Lists only rules whose id or description contains TEXT.")
  private Optional<String> search = Optional.empty();

  ListCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    var path = "/v1/rules" + search.map(text -> "?search=" + ServiceApi.encoded(text)).orElse("");
    return ServiceReads.of(() -> {
      var answer = service.get(client, path, "rules");
      if (service.json()) context.out().println(answer.body().strip());
      else print(answer.json().at("rules").items());
      return Main.OK;
    });
  }

  private void print(List<JsonReply> rules) {
    boolean scheduled = rules.stream().anyMatch(rule -> rule.at("active").isPresent());
    var table =
        scheduled
            ? new TextTable("ID", "MODE", "MATCH", "PER", "LIMIT", "OVERRIDES", "ACTIVE")
            : new TextTable("ID", "MODE", "MATCH", "PER", "LIMIT", "OVERRIDES");
    for (var rule : rules) {
      var cells =
          Stream.of(
              rule.at("id").text(),
              RuleText.mode(rule),
              RuleText.match(rule),
              RuleText.per(rule),
              RuleText.limits(rule),
              RuleText.overrides(rule));
      var active = scheduled ? Stream.of(RuleText.active(rule)) : Stream.<String>empty();
      table.add(Stream.concat(cells, active).toArray(String[]::new));
    }
    if (rules.isEmpty()) context.out().println("No rules found.");
    else table.print(context);
  }
}
