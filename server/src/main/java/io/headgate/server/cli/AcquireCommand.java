package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.cli.output.JsonReply;
import io.headgate.server.cli.output.LimitText;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Acquires a slot of each concurrency limit that applies to a subject. */
@Command(
    name = "acquire",
    description =
        "Checks a request and acquires a slot of each concurrency limit that applies. Exits with 0"
            + " if allowed, 1 if denied, 2 on errors.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class AcquireCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private RequestOptions options;

  @Mixin private CostOptions costs;

  @Option(
      names = {"-q", "--quiet"},
      description = "Prints only the id of the slot, for scripts.")
  private boolean quiet;

  AcquireCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    var body = JsonRequestBody.of(options.subject(), costs::write);
    var answer = options.post(client, "/v1/slots", body);
    var decision = answer.json();
    if (options.json()) context.out().println(answer.body());
    else if (!quiet) print(decision);
    else if (decision.at("id").isPresent()) context.out().println(decision.at("id").text());
    return decision.at("allowed").isTrue() ? Main.OK : Main.NO;
  }

  private void print(JsonReply decision) {
    String rule = decision.at("rule").text();
    String by = rule.isEmpty() ? "no rule applies" : rule + ": " + LimitText.of(decision);
    if (!decision.at("allowed").isTrue()) {
      long retry = decision.at("retryAfterMs").number();
      String when = retry == 0 ? "" : ", retry in " + DurationText.text(retry);
      context.out().println(context.bad("denied") + "  " + by + when);
    } else if (decision.at("id").isPresent()) {
      context.out().println(context.good("acquired") + "  " + by);
      context.out().println("  slot     " + decision.at("id").text());
    } else {
      context.out().println(context.good("allowed") + "  " + by);
      context.out().println("  slot     none, since no concurrency limit applies");
    }
  }
}
