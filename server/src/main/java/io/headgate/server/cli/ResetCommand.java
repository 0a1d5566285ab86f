package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Resets the counters of a rule for a subject. */
@Command(
    name = "reset",
    description =
        "Resets the counters of a rule for a subject, so that all permits are available again. Needs"
            + " an admin token if any token is set.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ResetCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private RequestOptions options;

  @Option(
      names = "--rule",
      required = true,
      paramLabel = "ID",
      description = "The rule; headgate explain lists those that apply.")
  private String rule = "";

  ResetCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    var body = JsonRequestBody.of(options.subject(), out -> out.writeStringField("rule", rule));
    return ServiceReads.of(() -> {
      var answer =
          options
              .service()
              .send(
                  client,
                  "POST",
                  "/v1/reset",
                  Map.of("Content-Type", "application/json"),
                  BodyPublishers.ofString(body));
      if (options.json()) context.out().println(answer.body());
      else {
        context
            .out()
            .printf("Reset: rule %s has all permits of %s again.%n", rule, options.shownSubject());
      }
      return Main.OK;
    });
  }
}
