package io.headgate.server.cli;

import com.fasterxml.jackson.core.JsonFactory;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.TextTable;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the blocks of a running service. */
@Command(
    name = "blocks",
    description = "Lists the blocked callers, and blocks that have expired.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class BlocksCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private ServiceApi service;

  BlocksCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    return ServiceReads.of(() -> {
      var rules = service.get(client, "/v1/rules", "rules").json().at("rules").items();
      var blocks = Block.among(rules);
      var now = Instant.now();
      if (service.json()) context.out().println(json(blocks, now));
      else print(blocks, now);
      return Main.OK;
    });
  }

  private void print(List<Block> blocks, Instant now) {
    if (blocks.isEmpty()) {
      context.out().println("No caller is blocked.");
      return;
    }
    var table = new TextTable("ID", "CALLER", "UNTIL", "REASON");
    for (var block : blocks) {
      table.add(block.id(), block.caller(), until(block, now), block.reason());
    }
    table.print(context);
  }

  private static String until(Block block, Instant now) {
    if (block.until().isEmpty()) return "unblocked";
    return block.until().get() + (block.isExpired(now) ? " (expired)" : "");
  }

  private static String json(List<Block> blocks, Instant now) {
    var text = new StringWriter();
    try (var out = new JsonFactory().createGenerator(text)) {
      out.writeStartObject();
      out.writeArrayFieldStart("blocks");
      for (var block : blocks) {
        out.writeStartObject();
        out.writeStringField("id", block.id());
        out.writeObjectFieldStart("match");
        for (var pattern : block.match().entrySet()) {
          out.writeStringField(pattern.getKey(), pattern.getValue());
        }
        out.writeEndObject();
        if (block.until().isPresent()) {
          out.writeStringField("until", block.until().get().toString());
        }
        out.writeBooleanField("expired", block.isExpired(now));
        out.writeStringField("reason", block.reason());
        out.writeEndObject();
      }
      out.writeEndArray();
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }
}
