package io.headgate.simulation;

import io.headgate.internal.hash.FixedHashKey;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import java.util.ArrayList;
import java.util.List;

/** Runs scenarios by seed: {@code ./simulate --help}. */
public final class Simulate {
  static {
    FixedHashKey.select(); // otherwise tables have another iteration order in each JVM
  }

  static final List<Scenario> ALL =
      List.of(
          new StrictScenario(),
          new SpanningScenario(),
          new LeasedScenario(),
          new FairScenario(),
          new ChangeScenario(),
          new SlotsScenario(false),
          new SlotsScenario(true),
          new EventualScenario(),
          new OutageScenario(),
          new LocalScenario(),
          new LateScenario(),
          new OverrideScenario(),
          new OwnersScenario(),
          new MemoryScenario(),
          new ReservationScenario());

  private Simulate() {}

  /** The command-line options. */
  private static final class Options {
    long from = 1;
    long seeds = 1_000;
    long minutes;
    long steps = Long.MAX_VALUE;
    boolean one;
    boolean keepGoing;
    boolean trace;
    List<Scenario> scenarios = ALL;
  }

  /** Runs the command. The exit status is 0, 1 if a seed fails, or 2 for invalid options. */
  public static void main(String[] args) {
    var options = new Options();
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--seeds" -> options.seeds = number(args, ++i);
        case "--from" -> options.from = number(args, ++i);
        case "--minutes" -> options.minutes = number(args, ++i);
        case "--steps" -> options.steps = number(args, ++i);
        case "--seed" -> {
          options.from = number(args, ++i);
          options.seeds = 1;
          options.one = true;
        }
        case "--scenario" ->
            options.scenarios = List.of(scenario(i + 1 < args.length ? args[++i] : ""));
        case "--keep-going" -> options.keepGoing = true;
        case "--trace" -> options.trace = true;
        case "--plan-regions" -> {
          System.out.print(RegionPlanner.table());
          return;
        }
        case "--help", "-h" -> {
          System.out.print(help());
          return;
        }
        default -> throw usage("unknown option '%s'".formatted(args[i]));
      }
    }
    System.exit(run(options) ? 0 : 1);
  }

  private static String help() {
    return """
    Runs the production code of several instances over a simulated network, in virtual time, and
    checks every decision. For a failing seed it prints the shortest failing history it can find.

      --seeds N       number of seeds to run, beginning with --from (1000)
      --from N        first seed (1)
      --minutes N     run seeds for N minutes, instead of --seeds
      --seed N        run one seed and print its history if it fails
      --scenario X    run one scenario instead of all: %s
      --steps N       stop after N steps in total
      --keep-going    continue after a failing seed, and print only the first line of each
      --trace         with --seed: print the whole history even if the seed passes
      --plan-regions  print the messages of 3 and 20 regions at 1,000,000 checks a second in each
      --help          print this text
    """
        .formatted(names());
  }

  private static String names() {
    return String.join(", ", ALL.stream().map(Scenario::name).toList());
  }

  private static Scenario scenario(String name) {
    for (var scenario : ALL) {
      if (scenario.name().equals(name)) return scenario;
    }
    throw usage("unknown scenario '%s'; the scenarios are %s".formatted(name, names()));
  }

  private static long number(String[] args, int index) {
    try {
      return Long.parseLong(args[index]);
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw usage("%s needs a number".formatted(args[index - 1]));
    }
  }

  private static RuntimeException usage(String problem) {
    System.err.println("simulate: " + problem + "; ./simulate --help lists the options");
    System.exit(2);
    return new IllegalStateException(problem);
  }

  private static boolean run(Options options) {
    long start = System.nanoTime();
    long until = options.minutes == 0 ? Long.MAX_VALUE : start + options.minutes * 60_000_000_000L;
    long steps = 0;
    long runs = 0;
    var failed = new ArrayList<String>();
    for (long seed = options.from; ; seed++) {
      boolean over =
          options.minutes == 0
              ? seed >= options.from + options.seeds
              : System.nanoTime() - until > 0;
      if (over || steps >= options.steps) break;
      for (var scenario : options.one ? options.scenarios : List.of(pick(options, seed))) {
        var result = scenario.run(scenario.script(seed), false);
        runs++;
        steps += result.steps();
        if (options.one && options.trace) {
          scenario.run(scenario.script(seed), true).history().forEach(System.out::println);
        }
        if (result.failure() == null) continue;
        failed.add(scenario.name() + " " + seed);
        System.out.println("%s, seed %d: %s".formatted(scenario.name(), seed, result.failure()));
        if (options.keepGoing) continue;
        System.out.print(report(scenario, seed));
        return false;
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.println(
        "%d seeds, %d steps in %.1f s: %.0f seeds a minute, %.1f million steps a minute; %d failed"
            .formatted(
                runs,
                steps,
                seconds,
                runs / seconds * 60,
                steps / seconds * 60 / 1e6,
                failed.size()));
    return failed.isEmpty();
  }

  private static Scenario pick(Options options, long seed) {
    return options.scenarios.get((int) Math.floorMod(seed, (long) options.scenarios.size()));
  }

  private static String describe(Rule rule) {
    var text = new StringBuilder(rule.id()).append(" per ");
    rule.per().ifPresentOrElse(text::append, () -> text.append(rule.match().conditions().keySet()));
    text.append(' ').append(rule.mode()).append(' ').append(rule.consistency());
    text.append(' ').append(rule.onStoreFailure()).append(' ').append(rule.combine());
    for (var limit : rule.limits()) describe(text, limit);
    for (var override : rule.overrides()) {
      text.append("; where ").append(override.match().conditions());
      for (var limit : override.limits()) describe(text, limit);
    }
    return text.toString();
  }

  private static void describe(StringBuilder text, RuleLimit limit) {
    text.append(", ").append(limit.name()).append(' ').append(limit.limit());
    limit.per().ifPresent(per -> text.append(" per ").append(per));
    if (limit.weight() != 1) text.append(" weight ").append(limit.weight());
  }

  /** Shrinks a failing seed and returns its rules, events and history as text. */
  static String report(Scenario scenario, long seed) {
    var whole = scenario.script(seed);
    var shrunk = new Shrinker(scenario).shrink(whole);
    var result = scenario.run(shrunk, true);
    var text = new StringBuilder();
    text.append(
        "shrunk from %d events to %d, %d instances, %d shards%n"
            .formatted(
                whole.events().size(), shrunk.events().size(), shrunk.nodes(), shrunk.shards()));
    for (var rules : shrunk.ruleSets()) {
      text.append("rules:\n");
      for (var rule : rules.rules()) text.append("  ").append(describe(rule)).append('\n');
    }
    text.append("events:\n");
    for (var event : shrunk.events()) text.append("  ").append(event).append('\n');
    text.append("history:\n");
    for (var line : result.history()) text.append(line).append('\n');
    text.append("%nreplay: ./simulate --scenario %s --seed %d%n".formatted(scenario.name(), seed));
    return text.toString();
  }
}
