package io.headgate.server.cli;

import io.headgate.redis.KeyLayout;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.rulefile.RuleFileException;
import io.headgate.server.cli.options.StoreOptions;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.SystemErrorText;
import io.headgate.server.cli.size.QuantityText;
import io.headgate.server.cli.size.SizedStore;
import io.headgate.server.cli.size.SizingCalculator;
import io.headgate.server.cli.size.SizingJson;
import io.headgate.server.cli.size.SizingRequest;
import io.headgate.server.cli.size.SizingText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Computes the memory, CPU and network that rules need for a number of callers. */
@Command(
    name = "size",
    description = {
      "Computes the keys, memory, CPU and network that rules need, from measured figures, and"
          + " prints the commands that configure them. Needs no service. The result is an upper"
          + " bound: each caller counts under each rule. Exits with 0, 1 if the rules are not"
          + " valid, 2 on errors."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class SizeCommand implements Callable<Integer> {
  private final CommandContext context;

  @Option(
      names = "--callers",
      required = true,
      paramLabel = "N",
      converter = QuantityText.class,
      description =
          "How many callers are active at the same time, such as 10k or 5M: those of the longest"
              + " window, not all that were ever seen.")
  private long callers;

  @Option(
      names = "--rules",
      required = true,
      paramLabel = "FILE",
      description = "The rules, in YAML or JSON.")
  private Path file = Path.of("");

  @Option(
      names = "--callers-of",
      paramLabel = "LIMIT=N",
      description =
          "The callers of one rule, or of one limit as rule/limit, instead of --callers. May be"
              + " repeated.")
  private Map<String, String> callersOf = new LinkedHashMap<>();

  @Option(
      names = "--store",
      paramLabel = "WHERE",
      defaultValue = "memory",
      description =
          "Where counters are stored: memory, redis or cluster, or the address of a Redis."
              + " Default: ${DEFAULT-VALUE}")
  private String store = "memory";

  @Option(
      names = "--store-layout",
      paramLabel = "LAYOUT",
      defaultValue = "separate",
      converter = StoreOptions.Layout.class,
      description =
          "How counters are distributed over the keys of Redis: separate or compact, as for serve."
              + " Default: ${DEFAULT-VALUE}")
  private KeyLayout layout = KeyLayout.SEPARATE;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "0",
      converter = QuantityText.class,
      description = "Checks per second of all instances, such as 50k. Default: ${DEFAULT-VALUE}")
  private long rate;

  @Option(
      names = "--instances",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many instances there are. Default: ${DEFAULT-VALUE}")
  private int instances;

  @Option(
      names = "--key-length",
      paramLabel = "N",
      defaultValue = "16",
      description =
          "How many characters the key of a caller has, such as a user id. Default:"
              + " ${DEFAULT-VALUE}")
  private int keyLength;

  @Option(
      names = "--used",
      paramLabel = "PERCENT",
      defaultValue = "100",
      description =
          "How much of a rolling window and of the slots of a concurrency limit a caller uses on"
              + " average, since each request and slot is stored. Default: ${DEFAULT-VALUE}")
  private int used;

  @Option(
      names = "--backups",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "How many copies of each counter the members of a cluster keep. Default:"
              + " ${DEFAULT-VALUE}")
  private int backups;

  @Option(names = "--json", description = "Prints one JSON object.")
  private boolean json;

  SizeCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    var request = request();
    var rules = rules();
    if (rules.isEmpty()) return Main.NO;
    var sizing = SizingCalculator.of(request, rules.get());
    if (json) context.out().println(SizingJson.of(sizing, file.toString()));
    else new SizingText(context).print(sizing, file.toString());
    return Main.OK;
  }

  private SizingRequest request() {
    var kind =
        SizedStore.of(store)
            .orElseThrow(() ->
                new CommandFailure(
                    "--store must be memory, redis or cluster, or the address of a Redis, got '%s'"
                        .formatted(store)));
    StoreOptions.requireLayoutOfRedis(layout, kind == SizedStore.REDIS);
    Map<String, Long> own = new LinkedHashMap<>();
    callersOf.forEach((limit, number) -> own.put(limit, number(limit, number)));
    try {
      return new SizingRequest(
          kind, layout, callers, own, rate, instances, keyLength, used, backups);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }

  private static long number(String limit, String number) {
    try {
      return new QuantityText().convert(number);
    } catch (TypeConversionException e) {
      throw new CommandFailure("--callers-of %s: %s".formatted(limit, e.getMessage()));
    }
  }

  /** Returns the rules; empty, after printing the problems, if they are not valid. */
  private Optional<List<Rule>> rules() {
    try {
      return Optional.of(RuleSet.of(RuleFile.read(context.directory().resolve(file))).rules());
    } catch (RuleFileException e) {
      for (var problem : e.problems()) context.err().printf("%s:%s%n", file, problem);
      if (e.more() > 0) context.err().printf("… and %d more%n", e.more());
    } catch (IllegalArgumentException e) {
      context.err().printf("%s: %s%n", file, e.getMessage());
    } catch (IOException e) {
      throw SystemErrorText.failure(file, e);
    }
    return Optional.empty();
  }
}
