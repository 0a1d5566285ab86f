package io.headgate.server.cli;

import io.headgate.load.CallOutcome;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.DurationText;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Releases a slot of a concurrency limit. */
@Command(
    name = "release",
    description = "Releases a slot. Exits with 1 if it has expired or was released.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ReleaseCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private SlotOptions slot;

  @Option(
      names = "--outcome",
      paramLabel = "OUTCOME",
      description =
          "How the call ended: success, error or dropped (it timed out, or was refused because of"
              + " overload). Adaptive limits learn from it.")
  private Optional<CallOutcome> outcome = Optional.empty();

  @Option(
      names = "--duration",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "How long the call took, such as 48ms; with --outcome.")
  private Optional<Duration> duration = Optional.empty();

  @Spec private CommandSpec spec;

  ReleaseCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    if (outcome.isPresent() != duration.isPresent()) {
      throw new ParameterException(
          spec.commandLine(), "--outcome and --duration belong together; give both or neither");
    }
    var query =
        outcome
            .map(ended ->
                "?outcome=%s&durationMs=%d"
                    .formatted(
                        ended.name().toLowerCase(Locale.ROOT), duration.orElseThrow().toMillis()))
            .orElse("");
    return slot.send(context, client, "DELETE", query, "released");
  }
}
