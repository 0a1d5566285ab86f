package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.cli.output.JsonReply;
import io.headgate.server.cli.output.TextTable;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the top callers of a running service. */
@Command(
    name = "callers",
    description =
        "Lists the top callers of all instances that share the store, with recent counts that decay"
            + " exponentially.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class CallersCommand implements Callable<Integer> {
  /** The figures to sort by, in lower case as on the command line. */
  @SuppressWarnings("MemberName")
  enum Figure {
    denied,
    allowed,
    rate,
    burst
  }

  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private ServiceApi service;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "The maximum number of callers, up to 1000. Default: ${DEFAULT-VALUE}")
  private int limit;

  @Option(
      names = "--sort",
      paramLabel = "FIGURE",
      defaultValue = "denied",
      description =
          "The figure to sort by, the highest first: denied, allowed, rate or burst. Default:"
              + " ${DEFAULT-VALUE}")
  private Figure sort = Figure.denied;

  @Option(
      names = "--rule",
      paramLabel = "ID",
      description = "Lists only callers that this rule decided for.")
  private Optional<String> rule = Optional.empty();

  @Option(
      names = "--search",
      paramLabel = "TEXT",
      description = "Lists only callers whose name or attributes contain TEXT.")
  private Optional<String> search = Optional.empty();

  CallersCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    String path =
        "/v1/callers?sort=%s&limit=%d".formatted(sort, limit)
            + rule.map(id -> "&rule=" + ServiceApi.encoded(id)).orElse("")
            + search.map(text -> "&search=" + ServiceApi.encoded(text)).orElse("");
    return ServiceReads.of(() -> {
      var answer = service.get(client, path, "callers");
      if (service.json()) context.out().println(answer.body());
      else print(answer.json());
      return Main.OK;
    });
  }

  private void print(JsonReply answer) {
    var callers = answer.at("callers").items();
    if (callers.isEmpty()) {
      context.out().println("No callers found.");
      return;
    }
    var table =
        new TextTable("CALLER", "ALLOWED", "DENIED", "PER SECOND", "BURST", "LAST SEEN", "RULES");
    long now = answer.at("now").number();
    for (var caller : callers) {
      table.add(
          caller.at("caller").text(),
          Long.toString(caller.at("allowed").number()),
          Long.toString(caller.at("denied").number()),
          oneDecimal(caller.at("perSecond")),
          caller.at("burstRatio").isPresent() ? oneDecimal(caller.at("burstRatio")) + "×" : "",
          DurationText.text(Math.max(0, now - caller.at("last").number())) + " ago",
          String.join(", ", caller.at("rules").texts()));
    }
    table.print(context);
  }

  private static String oneDecimal(JsonReply number) {
    return String.format(Locale.ROOT, "%.1f", number.decimal());
  }
}
