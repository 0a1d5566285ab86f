package io.headgate.server.cli;

import io.headgate.server.cli.options.ColourOption;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Puts a file of rules in force. */
@Command(
    name = "apply",
    description =
        "Makes the rules of a file those of a running service. Exits with 0 if they are, 1 if they were refused, 2 on errors.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ApplyCommand implements Callable<Integer> {
  private final CommandContext around;
  private final ServiceClient client;

  @Mixin private RulesApiClient service;

  @Mixin private RuleChangeOptions options;
  @Mixin private ColourOption colour;

  @Parameters(
      paramLabel = "FILE",
      description = "The rules, in YAML or JSON; - reads what is piped in.")
  private Path file = Path.of("-");

  ApplyCommand(CommandContext around, ServiceClient client) {
    this.around = around;
    this.client = client;
  }

  @Override
  public Integer call() {
    var text = text();
    return new RuleChangeRunner(colour.applied(around), client, service, options, file.toString())
        .make("PUT", "/v1/rules", () -> BodyPublishers.ofByteArray(text));
  }

  private byte[] text() {
    try {
      return file.toString().equals("-")
          ? System.in.readAllBytes()
          : Files.readAllBytes(around.directory().resolve(file));
    } catch (NoSuchFileException e) {
      throw new CommandFailure(file + ": there is no such file");
    } catch (IOException e) {
      throw new CommandFailure("%s can't be read: %s".formatted(file, e));
    }
  }
}
