package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.DiffText;
import io.headgate.server.cli.output.JsonReply;
import io.headgate.server.cli.output.TextTable;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the revisions of the rules, newest first. */
@Command(
    name = "history",
    description =
        "Lists the revisions of the rules of a running service: author, time and message.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class HistoryCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private ServiceApi service;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "The maximum number of revisions, up to 1000. Default: ${DEFAULT-VALUE}")
  private int limit;

  HistoryCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    return ServiceReads.of(() -> {
      var answer = service.get(client, "/v1/revisions?limit=" + limit, "revisions");
      if (service.json()) context.out().println(answer.body());
      else print(answer.json());
      return Main.OK;
    });
  }

  private void print(JsonReply history) {
    var table = new TextTable("REVISION", "WHEN", "AUTHOR", "CHANGES", "RULES", "MESSAGE");
    for (var revision : history.at("revisions").items()) {
      table.add(
          Long.toString(revision.at("number").number()),
          revision.at("at").text().replaceFirst("\\.\\d+Z$", "Z"),
          revision.at("author").text(),
          DiffText.summary(revision),
          Long.toString(revision.at("rules").number()),
          message(revision));
    }
    table.print(context);
    if (history.at("next").isPresent()) {
      context.out().printf("There are more revisions; increase --limit.%n");
    }
  }

  private static String message(JsonReply revision) {
    String message = revision.at("message").text();
    if (!revision.at("restored").isPresent()) return message;
    String restored = "restores %d".formatted(revision.at("restored").number());
    return message.isEmpty() ? restored : restored + ": " + message;
  }
}
