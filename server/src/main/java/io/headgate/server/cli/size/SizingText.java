package io.headgate.server.cli.size;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.Printable;
import io.headgate.server.cli.output.TextTable;
import java.util.Locale;

/** Prints a result as a table with advice. */
public final class SizingText {
  private static final int MAX_ROWS = 30;

  private final CommandContext context;

  /** Creates a printer to the output of a command. */
  public SizingText(CommandContext context) {
    this.context = context;
  }

  /**
   * Prints the result.
   *
   * @param rules the name of the rule file
   */
  public void print(Sizing sizing, String rules) {
    var table = new TextTable("LIMIT", "ALGORITHM", "KEYS", "BYTES A KEY", "MEMORY");
    for (var counter : sizing.counters().stream().limit(MAX_ROWS).toList()) {
      table.add(
          counter.policy(),
          counter.algorithm(),
          number(counter.keys()),
          number(counter.keyBytes()),
          QuantityText.bytes(counter.bytes()));
    }
    table.print(context);
    int more = sizing.counters().size() - MAX_ROWS;
    if (more > 0) context.out().println("… and %d more".formatted(more));
    context.out().println();
    row(
        "counters",
        "%s keys, %s".formatted(number(sizing.keys()), QuantityText.bytes(sizing.stateBytes())));
    if (sizing.request().store() == SizedStore.REDIS) printRedis(sizing);
    printInstances(sizing);
    for (var note : sizing.notes()) row("note", note);
    context.out().println();
    for (var command : SizingAdvice.of(sizing, rules)) {
      context.out().println(Printable.of(command));
    }
  }

  private void printRedis(Sizing sizing) {
    var redis = sizing.redis();
    row(
        "redis",
        "%d MiB of memory, %s"
            .formatted(
                SizingAdvice.mebibytes(redis.maxMemory()),
                redis.primaries() == 1
                    ? "1 server, %d connections".formatted(redis.connections())
                    : "%d primaries".formatted(redis.primaries())));
    row("", "%s µs of CPU a check".formatted(decimal(redis.micros())));
    if (sizing.request().rate() == 0) return;
    row(
        "",
        "%s cores and %s Mbit/s at %s checks/s"
            .formatted(
                decimal(redis.cores()),
                decimal(redis.networkBytes() * 8 / 1e6),
                number((double) sizing.request().rate())));
  }

  private void printInstances(Sizing sizing) {
    int instances = sizing.request().instances();
    row(
        instances == 1 ? "instance" : "instances",
        "%d, each with %d MiB of heap%s"
            .formatted(
                instances,
                SizingAdvice.mebibytes(sizing.heapBytes()),
                sizing.request().rate() == 0
                    ? ""
                    : " and %s cores busy over HTTP".formatted(decimal(sizing.cores()))));
  }

  private void row(String name, String text) {
    context.out().println("  %-9s  %s".formatted(name, text));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%,.0f", value);
  }
}
