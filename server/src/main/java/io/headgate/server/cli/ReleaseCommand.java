package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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

  ReleaseCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    return slot.send(context, client, "DELETE", "released");
  }
}
