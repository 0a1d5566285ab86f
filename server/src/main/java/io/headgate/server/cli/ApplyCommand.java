package io.headgate.server.cli;

import io.headgate.server.cli.options.ColourOption;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.SystemErrorText;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Replaces the rules of a running service with those of a file. */
@Command(
    name = "apply",
    description =
        "Replaces the rules of a running service with those of a file. Exits with 0 if they are in"
            + " force, 1 if they were rejected, 2 on errors.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ApplyCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private ServiceApi service;

  @Mixin private RuleChangeOptions options;
  @Mixin private ColourOption colour;

  @Parameters(
      paramLabel = "FILE",
      description = "The rule file, in YAML or JSON; - reads standard input.")
  private Path file = Path.of("-");

  ApplyCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    var text = text();
    return new RuleChangeRunner(colour.applied(context), client, service, options, file.toString())
        .run("PUT", "/v1/rules", () -> BodyPublishers.ofByteArray(text));
  }

  private byte[] text() {
    try {
      return file.toString().equals("-")
          ? System.in.readAllBytes()
          : Files.readAllBytes(context.directory().resolve(file));
    } catch (IOException e) {
      throw SystemErrorText.failure(file, e);
    }
  }
}
