package io.headgate.server.cli;

import io.headgate.rulefile.RuleFile;
import io.headgate.rulefile.RuleFileException;
import io.headgate.server.cli.bench.AdmissionBound;
import io.headgate.server.cli.bench.BoundedAdmission;
import io.headgate.server.cli.bench.CheckReply;
import io.headgate.server.cli.bench.LoadGenerator;
import io.headgate.server.cli.bench.LoadProgress;
import io.headgate.server.cli.bench.LoadResult;
import io.headgate.server.cli.bench.LoadSettings;
import io.headgate.server.cli.bench.LoadText;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.cli.output.JsonReply;
import io.headgate.server.cli.output.RuleText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Applies load to a running service and measures it. */
@Command(
    name = "bench",
    description = {
      "Sends checks to a running service and prints their rate and latency, and how many were"
          + " admitted. The checks are charged like any others: use a key of its own, and a service"
          + " that may be loaded. Exits with 0, 1 if more was admitted than the limit allows, 2 on"
          + " errors."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class BenchCommand implements Callable<Integer> {
  /** Is replaced by a number in the values of attributes. */
  private static final String PLACEHOLDER = "{n}";

  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private RequestOptions options;

  @Mixin private CostOptions costs;

  @Option(
      names = "--duration",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = DurationText.class,
      description = "How long to send checks, at most 1h. Default: ${DEFAULT-VALUE}")
  private Duration duration = Duration.ofSeconds(10);

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "8",
      description = "How many checks may be in flight, at most 1000. Default: ${DEFAULT-VALUE}")
  private int connections;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "How many checks to send per second, whether or not earlier ones are answered; latency"
              + " counts from the time at which a check was due. 0: as many as the connections"
              + " allow. Default: ${DEFAULT-VALUE}")
  private long rate;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "How many subjects to use: {n} in the key or an attribute becomes 0 to N-1 in turn."
              + " Default: ${DEFAULT-VALUE}")
  private int keys;

  BenchCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() throws InterruptedException {
    var settings = settings();
    // The first check reports a wrong URL or token, and opens the client before the threads start.
    var first = check(0).json();
    var generator = new LoadGenerator(settings, number -> reply(check(number).json()));
    LoadResult result;
    try (var progress = new LoadProgress(context, settings, generator::decided)) {
      progress.start();
      result = generator.run();
    }
    var admission = admission(first, result);
    if (options.json()) context.out().println(LoadText.json(result, admission));
    else new LoadText(context).print(settings, result, admission);
    if (result.allowed() + result.denied() == 0) return Main.ERROR;
    return admission.filter(BoundedAdmission::isExceeded).isPresent() ? Main.NO : Main.OK;
  }

  private LoadSettings settings() {
    var subject = options.subject();
    boolean varies = subject.values().stream().anyMatch(value -> value.contains(PLACEHOLDER));
    if (keys < 1 || keys > 10_000_000) {
      throw new CommandFailure("--keys must be 1 to 10000000, got " + keys);
    }
    if (keys > 1 && !varies) {
      throw new CommandFailure(
          "--keys %d needs %s in the key or an attribute, such as user:%s"
              .formatted(keys, PLACEHOLDER, PLACEHOLDER));
    }
    try {
      return new LoadSettings(duration, connections, rate);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }

  private ServiceApi.Answer check(long number) {
    Map<String, String> subject = new LinkedHashMap<>();
    String n = Long.toString(number % keys);
    options.subject().forEach((name, value) -> subject.put(name, value.replace(PLACEHOLDER, n)));
    return options.post(client, "/v1/check", JsonRequestBody.of(subject, costs::write));
  }

  private static CheckReply reply(JsonReply decision) {
    return new CheckReply(decision.at("allowed").isTrue(), decision.at("source").text());
  }

  /**
   * Compares the permits that were granted with the limit. Possible for one subject with one limit
   * and a cost of 1; while all decisions are those of the store; and if the token may read rules.
   */
  private Optional<BoundedAdmission> admission(JsonReply first, LoadResult result) {
    var limits = first.at("limits").items();
    if (keys > 1 || !costs.isDefault() || limits.size() != 1) return Optional.empty();
    if (result.sources().containsKey("fallback") || result.failed() > 0) return Optional.empty();
    String rule = first.at("rule").text();
    try {
      var answer = options.service().get(client, "/v1/rules/" + ServiceApi.encoded(rule), Map.of());
      return admission(answer, limits.getFirst(), result);
    } catch (ServiceApi.RejectedException | RuleFileException e) {
      return Optional.empty();
    }
  }

  /** The limit is the rule's own or that of an override, as far as the report tells: the widest. */
  private static Optional<BoundedAdmission> admission(
      ServiceApi.Answer answer, JsonReply report, LoadResult result) {
    var rule = RuleFile.readStoredRule(answer.body());
    long micros = Math.ceilDiv(result.nanos(), 1_000L);
    var limits = new ArrayList<>(rule.limits());
    rule.overrides().forEach(override -> limits.addAll(override.limits()));
    long bound = -1;
    for (var each : limits) {
      if (each.limit().capacity() != report.at("limit").number()) continue;
      var own = AdmissionBound.of(each.limit(), micros);
      if (own.isEmpty()) return Optional.empty();
      bound = Math.max(bound, own.getAsLong());
    }
    if (bound < 0) return Optional.empty();
    String shown = RuleText.limits(answer.json());
    return Optional.of(new BoundedAdmission(rule.id(), shown, result.allowed(), bound));
  }
}
