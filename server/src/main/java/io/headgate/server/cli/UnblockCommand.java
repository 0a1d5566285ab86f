package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Ends the block of a caller: deletes its rule. */
@Command(
    name = "unblock",
    description =
        "Ends the block of a caller, named by its key, its attributes or the id of the block. Exits"
            + " with 0 if it was blocked, 1 if not, 2 on errors.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class UnblockCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private RequestOptions options;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "The reason; stored with the revision.")
  private Optional<String> reason = Optional.empty();

  @Option(
      names = "--author",
      paramLabel = "NAME",
      description = "The author; stored with the revision. Default: your user name")
  private Optional<String> author = Optional.empty();

  UnblockCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    return ServiceReads.of(() -> {
      var rules = options.service().get(client, "/v1/rules", "rules");
      var found = found(Block.among(rules.json().at("rules").items()));
      if (found.isEmpty()) {
        context
            .err()
            .printf(
                "headgate: %s is not blocked; 'headgate blocks' lists all blocks%n",
                options.shownSubject());
        return Main.NO;
      }
      for (var block : found) delete(block);
      return Main.OK;
    });
  }

  private List<Block> found(List<Block> blocks) {
    var subject = options.subject();
    var id = subject.size() == 1 ? options.key() : Optional.<String>empty();
    var named = blocks.stream().filter(block -> id.equals(Optional.of(block.id()))).toList();
    if (!named.isEmpty()) return named;
    var patterns = Block.patterns(subject);
    return blocks.stream().filter(block -> block.match().equals(patterns)).toList();
  }

  private void delete(Block block) {
    String message =
        "unblock %s".formatted(block.caller()) + reason.map(text -> ": " + text).orElse("");
    var headers = RuleChangeOptions.headers(author, Optional.of(message), Optional.empty());
    var answer =
        options
            .service()
            .send(
                client,
                "DELETE",
                "/v1/rules/" + ServiceApi.encoded(block.id()),
                headers,
                BodyPublishers.noBody());
    if (options.json()) {
      context.out().println(answer.body());
      return;
    }
    context
        .out()
        .printf(
            "Unblocked %s: rule %s is deleted, revision %d.%n",
            block.caller(), block.id(), answer.json().at("revision").at("number").number());
  }
}
