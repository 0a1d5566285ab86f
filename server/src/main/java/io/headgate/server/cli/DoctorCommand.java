package io.headgate.server.cli;

import io.headgate.rulefile.RuleFile;
import io.headgate.server.ServiceSettings;
import io.headgate.server.cli.doctor.DatabaseCheck;
import io.headgate.server.cli.doctor.Finding;
import io.headgate.server.cli.doctor.Finding.Level;
import io.headgate.server.cli.doctor.FindingText;
import io.headgate.server.cli.doctor.LayoutCheck;
import io.headgate.server.cli.doctor.MachineCheck;
import io.headgate.server.cli.doctor.RedisCheck;
import io.headgate.server.cli.options.Configuration;
import io.headgate.server.cli.options.ListenOptions;
import io.headgate.server.cli.options.RuleOptions;
import io.headgate.server.cli.options.StoreOptions;
import io.headgate.server.cli.options.TokenOptions;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.cli.output.StatusText;
import io.headgate.server.rules.RulesFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks the configuration and what a service needs, and gives advice. */
@Command(
    name = "doctor",
    description =
        "Checks what a service with these options needs: Java, configuration, rules, database,"
            + " store and port; and the service itself if one is running. Takes the options of"
            + " serve. Exits with 0, 1 if there is a problem, 2 on errors.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    abbreviateSynopsis = true)
final class DoctorCommand implements Callable<Integer> {
  private static final String SETTINGS = "settings";

  /** The statistics are those of the last complete second. */
  private static final long MAX_CLOCK_MILLIS = 5_000;

  private final CommandContext context;
  private final Configuration configuration;
  private final ServiceClient client;

  @Mixin private ServiceApi service;

  @Option(
      names = "--port",
      defaultValue = "" + ServiceSettings.DEFAULT_PORT,
      description = "The port to listen on. Default: ${DEFAULT-VALUE}")
  private int port;

  @Option(
      names = "--host",
      defaultValue = ServiceSettings.DEFAULT_HOST,
      description = "The address to listen on. Default: ${DEFAULT-VALUE}")
  private String host = ServiceSettings.DEFAULT_HOST;

  @Mixin private RuleOptions rules;

  @Mixin private StoreOptions store;

  @Mixin private TokenOptions tokens;

  @Mixin private ListenOptions listen;

  DoctorCommand(CommandContext context, Configuration configuration, ServiceClient client) {
    this.context = context;
    this.configuration = configuration;
    this.client = client;
  }

  @Override
  public Integer call() {
    service.useDefaultUrl("%s://%s:%d".formatted(listen.scheme(), urlHost(), port));
    var directory = context.directory();
    var findings = new ArrayList<Finding>();
    var running = new ArrayList<Finding>();
    boolean isRunning = checkService(running);
    findings.addAll(MachineCheck.java(listen.connections()));
    for (var unknown : configuration.unknownVariables()) {
      findings.add(Finding.warning(SETTINGS, unknown, "correct the name, or unset the variable"));
    }
    findings.addAll(checked(SETTINGS, this::checkSettings));
    findings.add(MachineCheck.data(rules.data(directory)));
    findings.addAll(checked("rules", () -> checkRules(rules.source(directory).file())));
    findings.addAll(checked("database", () -> checkDatabase(isRunning)));
    findings.addAll(checked("store", this::checkStore));
    findings.add(MachineCheck.port(host, port, isRunning && service.hasPort(port)));
    addRunning(findings, running);
    if (service.json()) context.out().println(FindingText.json(findings));
    else new FindingText(context).print(findings);
    boolean problem = findings.stream().anyMatch(finding -> finding.level() == Level.PROBLEM);
    return problem ? Main.NO : Main.OK;
  }

  /** Adds the findings of the service. The layouts of instances are reported once. */
  private static void addRunning(List<Finding> findings, List<Finding> running) {
    boolean layouts = findings.stream().anyMatch(DoctorCommand::isOfLayouts);
    for (var finding : running) {
      if (!layouts || !isOfLayouts(finding)) findings.add(finding);
    }
  }

  private static boolean isOfLayouts(Finding finding) {
    return finding.topic().equals(LayoutCheck.TOPIC);
  }

  private String urlHost() {
    if (host.equals("0.0.0.0") || host.equals("::")) return "127.0.0.1";
    return host.contains(":") ? "[" + host + "]" : host;
  }

  /** Returns the findings of a check, or its failure as a problem. */
  private static List<Finding> checked(String topic, Supplier<List<Finding>> check) {
    try {
      return check.get();
    } catch (CommandFailure e) {
      return List.of(
          Finding.problem(topic, String.valueOf(e.getMessage()), "serve would not start"));
    }
  }

  private List<Finding> checkSettings() {
    try {
      var settings =
          new ServiceSettings(
              host,
              port,
              tokens.access(context.directory()),
              listen.connections(),
              listen.trusted(),
              listen.tls(context.directory()),
              ServiceSettings.DEFAULT_SHUTDOWN_GRACE,
              ServiceSettings.cores());
      String access = settings.access().hasAdminToken() ? "tokens are set" : "no tokens";
      return List.of(Finding.ok(SETTINGS, "host %s, %s".formatted(host, access)));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }

  private static List<Finding> checkRules(Optional<RulesFile> file) {
    if (file.isEmpty()) return List.of(Finding.ok("rules", "no --rules: those of the database"));
    try (var read = file.get()) {
      var all = read.rules().rules();
      var findings = new ArrayList<Finding>();
      findings.add(Finding.ok("rules", "%d in %s".formatted(all.size(), read.name())));
      for (var warning : RuleFile.warnings(all)) {
        findings.add(Finding.warning("rules", warning, "headgate rules lint FILE explains it"));
      }
      return findings;
    }
  }

  private List<Finding> checkDatabase(boolean isRunning) {
    return rules.database(context.directory()).stream()
        .map(address -> DatabaseCheck.of(address, isRunning))
        .toList();
  }

  private List<Finding> checkStore() {
    var redis = store.redisOptions(context.directory());
    if (redis.isPresent()) return RedisCheck.of(redis.get());
    return List.of(Finding.ok("store", store.describe(context.directory())));
  }

  /** Checks a running service; returns false if there is none. */
  private boolean checkService(List<Finding> findings) {
    String topic = "service";
    ServiceApi.Answer health;
    try {
      health = service.health(client);
    } catch (CommandFailure e) {
      findings.add(Finding.ok(topic, "none at " + service.shownUrl()));
      return false;
    } catch (ServiceApi.RejectedException e) {
      findings.add(
          Finding.problem(topic, String.valueOf(e.getMessage()), "headgate status shows more"));
      return true;
    }
    String name = "Headgate at " + service.shownUrl();
    var json = health.json();
    if (StatusText.isWell(json)) {
      findings.add(Finding.ok(topic, name + " is ready"));
    } else {
      String why =
          json.at("store")
              .at("problem")
              .optionalText()
              .or(() -> json.at("repository").at("problem").optionalText())
              .orElse("it is " + json.at("status").text());
      findings.add(Finding.problem(topic, name + ": " + why, "headgate status shows more"));
    }
    json.at("repository")
        .at("ignoredFile")
        .optionalText()
        .ifPresent(why -> findings.add(Finding.warning(topic, why, "choose one of the two ways")));
    checkStats(findings, name);
    return true;
  }

  private void checkStats(List<Finding> findings, String name) {
    try {
      long before = System.currentTimeMillis();
      var stats = service.get(client, "/v1/stats", "rates").json();
      checkClock(findings, name, stats.at("now").number() - before);
      LayoutCheck.ofService(StatusText.layouts(stats)).ifPresent(findings::add);
    } catch (CommandFailure | ServiceApi.RejectedException e) {
      // Without a token for statistics, the clock and the layouts stay unknown.
    }
  }

  private static void checkClock(List<Finding> findings, String name, long ahead) {
    if (Math.abs(ahead) <= MAX_CLOCK_MILLIS) return;
    findings.add(
        Finding.warning(
            "service",
            "the clock of %s is %s %s this machine's"
                .formatted(
                    name, DurationText.text(Math.abs(ahead)), ahead < 0 ? "behind" : "ahead of"),
            "synchronize the clocks (NTP): schedules of rules use the clock of the service"));
  }
}
