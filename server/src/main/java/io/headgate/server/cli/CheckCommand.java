package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.cli.output.JsonReply;
import io.headgate.server.cli.output.LimitText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Asks a running service whether a request may go ahead. */
@Command(
    name = "check",
    description = "Asks a running service. Exits with 0 if allowed, 1 if denied, 2 on errors.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class CheckCommand implements Callable<Integer> {
  private final CommandContext around;
  private final ServiceClient client;

  @Mixin private RequestOptions asking;

  @Option(names = "--cost", paramLabel = "N", description = "What it costs. Default: 1")
  private Optional<Long> cost = Optional.empty();

  @Option(
      names = "--costs",
      paramLabel = "NAME=N",
      description = "A named cost, such as bytes=512; may be given several times.")
  private Map<String, Long> costs = new LinkedHashMap<>();

  @Option(names = "--wait", description = "Waits in line where the rule has a queue.")
  private boolean waits;

  @Option(names = "--peek", description = "Asks without charging.")
  private boolean peek;

  CheckCommand(CommandContext around, ServiceClient client) {
    this.around = around;
    this.client = client;
  }

  @Override
  public Integer call() {
    if (peek && waits) throw new CommandFailure("--peek charges nothing, so there is no --wait");
    var body =
        JsonRequestBody.of(
            asking.subject(),
            out -> {
              if (cost.isPresent()) out.writeNumberField("cost", cost.get());
              if (!costs.isEmpty()) {
                out.writeObjectFieldStart("costs");
                for (var named : costs.entrySet()) {
                  out.writeNumberField(named.getKey(), named.getValue());
                }
                out.writeEndObject();
              }
              if (waits) out.writeBooleanField("wait", true);
            });
    var answer = asking.post(client, peek ? "/v1/peek" : "/v1/check", body);
    if (asking.json()) around.out().println(answer.body());
    else print(answer.json());
    return answer.json().at("allowed").isTrue() ? Main.OK : Main.NO;
  }

  private void print(JsonReply decision) {
    String rule = decision.at("rule").text();
    String by = rule.isEmpty() ? "no rule applies" : rule + ": " + LimitText.of(decision);
    around.out().println(outcome(decision) + "  " + by + when(decision));
    var limits = decision.at("limits").items();
    if (limits.size() > 1) {
      around
          .out()
          .println(
              "  limits   "
                  + limits.stream().map(LimitText::brief).collect(Collectors.joining(", ")));
    }
    if (decision.at("id").isThere()) {
      around.out().println("  slot     " + decision.at("id").text());
    }
    if (decision.at("shadow").isThere()) {
      around
          .out()
          .println("  shadow   would deny: " + String.join(", ", decision.at("shadow").texts()));
    }
  }

  private String outcome(JsonReply decision) {
    return decision.at("allowed").isTrue() ? around.good("allowed") : around.bad("denied");
  }

  private String when(JsonReply decision) {
    long delay = decision.at("delayMs").number();
    if (delay > 0) {
      return waits
          ? ", waited " + DurationText.text(delay)
          : ", go ahead in " + DurationText.text(delay);
    }
    if (decision.at("allowed").isTrue()) return "";
    if (decision.at("impossible").isTrue()) return ", the cost is more than it ever holds";
    return ", retry in " + DurationText.text(decision.at("retryAfterMs").number());
  }
}
