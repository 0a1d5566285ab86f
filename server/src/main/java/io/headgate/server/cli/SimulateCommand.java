package io.headgate.server.cli;

import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.rulefile.RuleFileException;
import io.headgate.server.cli.options.ColourOption;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.SimulationHtml;
import io.headgate.server.cli.output.SimulationJson;
import io.headgate.server.cli.output.SimulationReport;
import io.headgate.server.cli.output.SimulationText;
import io.headgate.server.cli.output.SystemErrorText;
import io.headgate.server.simulation.Comparison;
import io.headgate.server.simulation.Deadline;
import io.headgate.server.simulation.ReorderBuffer;
import io.headgate.server.simulation.RuleSimulator;
import io.headgate.server.simulation.SimulationBudget;
import io.headgate.server.simulation.accesslog.AccessLog;
import io.headgate.server.simulation.accesslog.Attributes;
import io.headgate.server.simulation.accesslog.RequiredFields;
import io.headgate.store.MemoryStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Replays access logs against rules and reports the decisions. Needs no service. */
@Command(
    name = "simulate",
    description =
        "Replays access logs against rules, with the timestamps of the log and the algorithms of"
            + " the service, and reports which requests and callers would have been denied. Needs no"
            + " service. Exits with 0, or with 1 if the rules are not valid, 2 if a file can't be"
            + " read.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  headgate simulate --rules rules.yaml --log access.log",
      "  headgate simulate --rules new.yaml --against rules.yaml --log access.log.gz --html out.html",
      "  zcat access.log.*.gz | headgate simulate --rules rules.yaml --log - --attr key=user:{user}"
    })
final class SimulateCommand implements Callable<Integer> {
  private final CommandContext process;

  @Option(
      names = "--rules",
      required = true,
      paramLabel = "FILE",
      description = "The rules to simulate.")
  private Path rules = Path.of("");

  @Option(
      names = "--log",
      required = true,
      arity = "1..*",
      paramLabel = "FILE",
      description =
          "The log, plain or compressed with gzip; - for standard input. Several logs are read in"
              + " the given order; give the oldest first.")
  private List<String> logs = new ArrayList<>();

  @Option(
      names = "--against",
      paramLabel = "FILE",
      description = "Other rules to compare with, such as those in force.")
  private Optional<Path> against = Optional.empty();

  @Option(
      names = "--format",
      paramLabel = "NAME",
      defaultValue = "auto",
      description = "auto, common, combined or json (an object on each line). Default: auto")
  private AccessLog.Format format = AccessLog.Format.AUTO;

  @Option(
      names = "--attr",
      paramLabel = "NAME=FIELD",
      description =
          "The value of an attribute: a field of the log, as in client=remote_addr, or a template,"
              + " as in key=user:{user}. May be repeated. Fields of every log: ip, user, method,"
              + " path, protocol, status, bytes, referer, user-agent. Fields of JSON logs: any, with"
              + " dots for nested fields. Default: the field of the same name; for key, the user or"
              + " else the ip.")
  private Map<String, String> attributes = new LinkedHashMap<>();

  @Option(names = "--query", description = "Keeps the query string as part of the path.")
  private boolean query;

  @Option(
      names = "--no-spread",
      description =
          "If timestamps have whole seconds, replays all requests of a second at its beginning"
              + " instead of spreading them evenly.")
  private boolean noSpread;

  @Option(
      names = "--top",
      paramLabel = "N",
      defaultValue = "10",
      description = "How many callers to list. Default: 10")
  private int top = 10;

  @Option(
      names = "--max-keys",
      paramLabel = "N",
      defaultValue = "" + MemoryStore.DEFAULT_MAX_KEYS,
      description =
          "The maximum number of counters of each rule set; beyond it, the least significant ones"
              + " are evicted. Default: 1000000")
  private int maxKeys = MemoryStore.DEFAULT_MAX_KEYS;

  @Option(names = "--json", description = "Prints one JSON object.")
  private boolean json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also writes a self-contained HTML report with charts.")
  private Optional<Path> html = Optional.empty();

  @Mixin private ColourOption colour;

  SimulateCommand(CommandContext context) {
    this.process = context;
  }

  @Override
  public Integer call() {
    var context = colour.applied(process);
    requireUsable();
    try {
      var candidate = rules(rules);
      var baseline =
          against.isPresent() ? Optional.of(rules(against.get())) : Optional.<RuleSet>empty();
      try (var comparison =
          baseline
              .map(before -> Comparison.of(simulator(before), simulator(candidate), Deadline.NEVER))
              .orElseGet(() -> Comparison.single(simulator(candidate)))) {
        var simulation = replay(comparison, attributes(candidate, baseline));
        if (json) context.out().println(SimulationJson.of(simulation, top));
        else new SimulationText(context, top).print(simulation);
        if (html.isPresent()) write(html.get(), SimulationHtml.of(simulation));
      }
      return Main.OK;
    } catch (InvalidRules e) {
      for (var line : e.lines) context.err().println(line);
      return Main.NO;
    }
  }

  /** Checks the options before logs are read, which may take long. */
  private void requireUsable() {
    if (top < 0) throw new CommandFailure("--top must be 0 or more, got " + top);
    if (maxKeys < 1) {
      throw new CommandFailure(
          "--max-keys must be 1 or more, got %d; the default is %d"
              .formatted(maxKeys, MemoryStore.DEFAULT_MAX_KEYS));
    }
    new AccessLogFiles(process, logs).requireAll();
  }

  private RuleSimulator simulator(RuleSet set) {
    return new RuleSimulator(set, SimulationBudget.ofKeys(maxKeys));
  }

  private SimulationReport replay(Comparison comparison, Attributes read) {
    var order =
        ReorderBuffer.bounded(
            comparison::add,
            SimulationReport.REORDER_SPAN_MICROS,
            SimulationReport.MAX_BUFFERED,
            !noSpread);
    var log = new AccessLog(read, format, query, order::add);
    new AccessLogFiles(process, logs).read(log);
    order.finish();
    if (log.lines() == 0) throw nothingRead(log);
    return new SimulationReport(
        comparison,
        against.map(Path::toString),
        rules.toString(),
        logs,
        log.unreadable(),
        log.samples(),
        log.missing(),
        order.late(),
        order.overflowed());
  }

  private CommandFailure nothingRead(AccessLog log) {
    String why =
        log.samples().isEmpty() ? "it is empty" : "the first error: " + log.samples().getFirst();
    return new CommandFailure(
        "%s has no readable line; %s".formatted(String.join(", ", logs), why));
  }

  private Attributes attributes(RuleSet candidate, Optional<RuleSet> baseline) {
    var sets = new ArrayList<RuleSet>(List.of(candidate));
    baseline.ifPresent(sets::add);
    RequiredFields wanted;
    try {
      wanted = RequiredFields.of(sets);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
    try {
      return Attributes.of(wanted, attributes);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure("--attr: " + e.getMessage());
    }
  }

  /** The rules are not valid; {@code lines} are the messages to print. */
  private static final class InvalidRules extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<String> lines;

    InvalidRules(List<String> lines) {
      super("the rules are not valid", null, false, false);
      this.lines = lines;
    }
  }

  private RuleSet rules(Path file) throws InvalidRules {
    try {
      return RuleSet.of(RuleFile.read(process.directory().resolve(file)));
    } catch (RuleFileException e) {
      var lines = new ArrayList<String>();
      for (var problem : e.problems()) lines.add("%s:%s".formatted(file, problem));
      if (e.more() > 0) lines.add("… and %d more".formatted(e.more()));
      throw new InvalidRules(lines);
    } catch (IllegalArgumentException e) {
      throw new InvalidRules(List.of("%s: %s".formatted(file, e.getMessage())));
    } catch (IOException e) {
      throw SystemErrorText.failure(file, e);
    }
  }

  private void write(Path file, String page) {
    try {
      Files.writeString(process.directory().resolve(file), page, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw SystemErrorText.failure(file, e);
    }
  }
}
