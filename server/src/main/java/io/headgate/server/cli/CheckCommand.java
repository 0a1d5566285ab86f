package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.cli.output.JsonReply;
import io.headgate.server.cli.output.LimitText;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks a request against a running service. */
@Command(
    name = "check",
    description =
        "Checks a request against a running service. Exits with 0 if allowed, 1 if denied, 2 on"
            + " errors.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class CheckCommand implements Callable<Integer> {
  /** The longest delay of a queue that is waited for. */
  private static final Duration MAX_DELAY = Duration.ofMinutes(15);

  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private RequestOptions options;

  @Mixin private CostOptions costs;

  @Option(names = "--wait", description = "Waits for the delay if a rule has a queue.")
  private boolean waitForDelay;

  @Option(names = "--peek", description = "Checks without charging.")
  private boolean peek;

  CheckCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    if (peek && waitForDelay)
      throw new CommandFailure("--peek charges nothing and can't be combined with --wait");
    var body =
        JsonRequestBody.of(
            options.subject(),
            out -> {
              costs.write(out);
              if (waitForDelay) out.writeBooleanField("wait", true);
            });
    var extra = waitForDelay ? MAX_DELAY : Duration.ZERO;
    var answer = options.post(client, peek ? "/v1/peek" : "/v1/check", body, extra);
    if (options.json()) context.out().println(answer.body());
    else print(answer.json());
    return answer.json().at("allowed").isTrue() ? Main.OK : Main.NO;
  }

  private void print(JsonReply decision) {
    String rule = decision.at("rule").text();
    String by = rule.isEmpty() ? "no rule applies" : rule + ": " + LimitText.of(decision);
    context.out().println(outcome(decision) + "  " + by + when(decision));
    var limits = decision.at("limits").items();
    if (limits.size() > 1) {
      context
          .out()
          .println(
              "  limits   "
                  + limits.stream().map(LimitText::brief).collect(Collectors.joining(", ")));
    }
    CostOptions.printUnused(context, decision);
    String source = source(decision);
    if (!source.isEmpty()) context.out().println("  source   " + source);
    if (decision.at("id").isPresent()) {
      context.out().println("  slot     " + decision.at("id").text());
    }
    if (decision.at("shadow").isPresent()) {
      context
          .out()
          .println("  shadow   would deny: " + String.join(", ", decision.at("shadow").texts()));
    }
  }

  /** Returns what the decision is based on; empty if that is the shared state in the store. */
  private static String source(JsonReply decision) {
    return switch (decision.at("source").text()) {
      case "", "store" -> "";
      case "lease" -> "lease: permits that the instance holds";
      case "cache" -> "cache: a denial, a count or a drop level that the instance has cached";
      case "fallback" -> {
        String policy = decision.at("onStoreFailure").text();
        yield policy.isEmpty()
            ? "fallback: the store is unavailable"
            : "fallback: " + LimitText.decidedBy(policy);
      }
      case "region" -> "region: its share is spent, and home is unreachable";
      default -> decision.at("source").text();
    };
  }

  private String outcome(JsonReply decision) {
    return decision.at("allowed").isTrue() ? context.good("allowed") : context.bad("denied");
  }

  private String when(JsonReply decision) {
    long delay = decision.at("delayMs").number();
    if (delay > 0) {
      return waitForDelay
          ? ", waited " + DurationText.text(delay)
          : ", go ahead in " + DurationText.text(delay);
    }
    if (decision.at("allowed").isTrue()) return "";
    if (decision.at("impossible").isTrue()) return ", the cost exceeds the capacity of the limit";
    if (!decision.at("retryAfterMs").isPresent()) return "";
    return ", retry in " + DurationText.text(decision.at("retryAfterMs").number());
  }
}
