package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.StatusText;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the state of a running service. */
@Command(
    name = "status",
    description =
        "Shows the state of a running service. Exits with 0 if all is well, 1 if it is stopping or"
            + " its store or its database is unavailable, 2 if there is no service.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class StatusCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private ServiceApi service;

  StatusCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    return ServiceReads.of(() -> {
      var health = service.health(client);
      var note = new StringBuilder();
      var stats = stats(note);
      if (service.json()) {
        context
            .out()
            .printf(
                "{\"health\":%s,\"stats\":%s}%n",
                health.body().strip(), stats.map(answer -> answer.body().strip()).orElse("null"));
      } else {
        var text = new StatusText(context);
        text.print(service.shownUrl(), health.json(), stats.map(ServiceApi.Answer::json));
      }
      if (note.length() > 0) {
        context.err().println("headgate: the statistics are not shown: " + note);
      }
      return StatusText.isWell(health.json()) ? Main.OK : Main.NO;
    });
  }

  /** Gets the statistics; without a token that permits it, the health has to be sufficient. */
  private Optional<ServiceApi.Answer> stats(StringBuilder note) {
    try {
      return Optional.of(service.get(client, "/v1/stats", "rates"));
    } catch (ServiceApi.RejectedException e) {
      if (e.status() != 401 && e.status() != 403) throw e;
      note.append(e.getMessage());
      return Optional.empty();
    }
  }
}
