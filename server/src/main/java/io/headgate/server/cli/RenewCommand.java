package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Renews a slot of a concurrency limit for its full duration. */
@Command(
    name = "renew",
    description =
        "Renews a slot for its full duration. Exits with 1 if it has expired or was released.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class RenewCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private SlotOptions slot;

  RenewCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    return slot.send(context, client, "PUT", "renewed");
  }
}
