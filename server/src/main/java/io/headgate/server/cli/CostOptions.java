package io.headgate.server.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.JsonReply;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of the cost of a request. */
final class CostOptions {
  @Option(names = "--cost", paramLabel = "N", description = "The cost in permits. Default: 1")
  private Optional<Long> cost = Optional.empty();

  @Option(
      names = "--costs",
      paramLabel = "NAME=N",
      description = "A named cost, such as bytes=512; may be repeated.")
  private Map<String, Long> costs = new LinkedHashMap<>();

  /** Returns whether no cost is given, so that a request costs 1. */
  boolean isDefault() {
    return cost.isEmpty() && costs.isEmpty();
  }

  /** Warns of costs that no limit spends, if the response lists any. */
  static void printUnused(CommandContext context, JsonReply answer) {
    if (!answer.at("unusedCosts").isPresent()) return;
    context
        .out()
        .println(
            context.warning(
                "  unused   no limit that matches spends: "
                    + String.join(", ", answer.at("unusedCosts").texts())));
  }

  /** Writes the fields of the costs that are given. */
  void write(JsonGenerator out) throws IOException {
    if (cost.isPresent()) out.writeNumberField("cost", cost.get());
    if (costs.isEmpty()) return;
    out.writeObjectFieldStart("costs");
    for (var named : costs.entrySet()) {
      out.writeNumberField(named.getKey(), named.getValue());
    }
    out.writeEndObject();
  }
}
