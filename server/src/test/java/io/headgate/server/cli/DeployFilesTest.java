package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.cli.options.ConfigOption;
import io.headgate.server.cli.options.Configuration;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import picocli.CommandLine;

/** Checks that the files in {@code deploy/} match the program. */
class DeployFilesTest {
  private static final Path DEPLOY = Path.of("..", "deploy");
  private static final CommandContext CONTEXT =
      new CommandContext(
          Map.of(),
          Path.of(""),
          new PrintWriter(new StringWriter()),
          new PrintWriter(new StringWriter()),
          false);

  static Stream<Path> files() throws IOException {
    try (var all = Files.walk(DEPLOY)) {
      return all.filter(Files::isRegularFile).toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void variablesAreOptions(Path file) {
    var variables =
        Pattern.compile("HEADGATE_([A-Z_]+)")
            .matcher(read(file))
            .results()
            .map(found -> found.group(1).toLowerCase(Locale.ROOT).replace('_', '-'));
    assertThat(Configuration.NAMES).containsAll(variables.toList());
  }

  @Test
  void stopTimeoutExceedsShutdownGrace() {
    long grace = ServiceSettings.DEFAULT_SHUTDOWN_GRACE.toSeconds();
    assertThat(number("systemd/headgate.service", "TimeoutStopSec=(\\d+)s")).isGreaterThan(grace);
    long pause = number("kubernetes/headgate.yaml", "sleep: \\{ seconds: (\\d+)");
    assertThat(number("kubernetes/headgate.yaml", "terminationGracePeriodSeconds: (\\d+)"))
        .isGreaterThan(grace + pause);
  }

  @Test
  void sampleConfigurationConsistsOfOptionsWithValidValues() throws IOException {
    var sample = read(DEPLOY.resolve("headgate.yaml"));
    assertThat(options(sample)).containsEntry("port", "8080").doesNotContainKey("admin-token");
    // The commented values are examples, of which some replace a default.
    var examples = sample.replaceAll("(?m)^store: memory.*\n", "").replaceAll("(?m)^#(?=\\S)", "");
    assertThat(options(examples)).containsKeys("admin-token", "database", "store", "tls-cert");
  }

  @Test
  void sampleConfigurationShowsTheDefaults() {
    var sample = yaml("headgate.yaml");
    for (var option : serve().getCommandSpec().options()) {
      var shown = sample.get(option.longestName().substring(2));
      if (shown != null) assertThat(shown).hasToString(option.defaultValue());
    }
  }

  /** Returns the options that {@code serve} reads from a configuration file. */
  private static Map<String, String> options(String text) throws IOException {
    var file = Files.createTempFile("headgate", ".yaml");
    try {
      Files.writeString(file, text);
      var values = new TreeMap<String, String>();
      var configuration =
          Configuration.of(CONTEXT, new String[] {"--config", file.toAbsolutePath().toString()});
      var parsed = serve().setDefaultValueProvider(configuration).parseArgs();
      for (var option : parsed.commandSpec().options()) {
        if (configuration.origin(option).isPresent()) {
          Object value = option.getValue();
          values.put(option.longestName().substring(2), String.valueOf(value));
        }
      }
      return values;
    } finally {
      Files.delete(file);
    }
  }

  private static CommandLine serve() {
    return new CommandLine(new ServeCommand(CONTEXT, Configuration.of(CONTEXT, new String[0])))
        .addMixin("config", new ConfigOption());
  }

  private static Map<?, ?> yaml(String file) {
    var load = new Load(LoadSettings.builder().build());
    return (Map<?, ?>) Objects.requireNonNull(load.loadFromString(read(DEPLOY.resolve(file))));
  }

  private static Map<?, ?> child(Map<?, ?> parent, String name) {
    return (Map<?, ?>) Objects.requireNonNull(parent.get(name), name);
  }

  @Test
  void composeFileRunsTheBuiltImageAndPublishesThePortOnLoopback() {
    var headgate = child(child(yaml("docker/compose.yaml"), "services"), "headgate");
    assertThat(headgate.get("image")).isEqualTo("headgate:" + version());
    assertThat(headgate.get("ports")).hasToString("[127.0.0.1:8080:8080]");
    assertThat(headgate.get("volumes")).hasToString("[headgate-data:/var/lib/headgate]");
    assertThat(read(Path.of("..", "image", "pom.xml")))
        .contains("<image>headgate:${project.version}</image>")
        .contains("<volume>/var/lib/headgate</volume>")
        .contains("<port>" + ServiceSettings.DEFAULT_PORT + "</port>");
    assertThat(number("docker/compose.yaml", "stop_grace_period: (\\d+)s"))
        .isGreaterThan(ServiceSettings.DEFAULT_SHUTDOWN_GRACE.toSeconds());
  }

  private static String version() {
    var pom = Pattern.compile("<version>([^<]+)").matcher(read(Path.of("..", "pom.xml")));
    assertThat(pom.find()).isTrue();
    return pom.group(1);
  }

  @Test
  void composeFileTakesItsSecretsFromTheEnvironmentFile() {
    var wanted =
        Pattern.compile("\\$\\{(\\w+):\\?")
            .matcher(read(DEPLOY.resolve("docker/compose.yaml")))
            .results()
            .map(found -> found.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    var offered =
        read(DEPLOY.resolve("docker/env.example"))
            .lines()
            .filter(line -> !line.startsWith("#"))
            .toList();
    assertThat(offered).allMatch(line -> line.endsWith("=")); // no value that works
    assertThat(offered.stream().map(line -> line.replace("=", "")))
        .containsExactlyInAnyOrderElementsOf(wanted);
    assertThat(read(Path.of("..", ".gitignore"))).contains("/deploy/docker/.env\n");
  }

  @Test
  void composeFileHasAHealthCheckForEveryService() {
    var compose = yaml("docker/compose.yaml");
    assertThat(child(compose, "services").keySet()).hasToString("[headgate, redis]");
    for (var service : child(compose, "services").values()) {
      assertThat(child((Map<?, ?>) service, "healthcheck").get("test")).isInstanceOf(List.class);
    }
  }

  @Test
  void composeHealthCheckPassesWhenTheServiceIsReady() throws Exception {
    var headgate = child(child(yaml("docker/compose.yaml"), "services"), "headgate");
    var test = (List<?>) Objects.requireNonNull(child(headgate, "healthcheck").get("test"));
    int jar = test.indexOf("/opt/headgate/headgate.jar");
    assertThat(test.subList(0, 2)).hasToString("[CMD, /opt/java/bin/java]");
    assertThat(read(Path.of("..", "image", "pom.xml")))
        .contains("<arg>/opt/java/bin/java</arg>", "<arg>/opt/headgate/headgate.jar</arg>");
    assertThat(test.subList(jar + 1, test.size())).hasToString("[status]");
    var settings =
        new ServiceSettings(
            "127.0.0.1", 0, AccessControl.OPEN, Duration.ofMinutes(1), Duration.ZERO, 1);
    try (var limiter = RateLimiter.inMemory();
        var service =
            Service.start(
                settings, limiter, InMemoryRuleRepository.of(limiter.rules()), Ticker.system())) {
      String url = "http://127.0.0.1:" + service.port();
      assertThat(Main.run(CONTEXT, "status", "--url", url)).isZero();
      assertThat(Main.run(CONTEXT, "status", "--url", url + "/nowhere")).isNotZero();
    }
  }

  @Test
  void manifestsSelectTheSamePods() {
    var load = new Load(LoadSettings.builder().build());
    var text = read(DEPLOY.resolve("kubernetes/headgate.yaml"));
    var kinds =
        StreamSupport.stream(load.loadAllFromString(text).spliterator(), false)
            .map(document -> ((Map<?, ?>) document).get("kind"))
            .toList();
    assertThat(kinds)
        .isEqualTo(
            List.of("Deployment", "Service", "Service", "PodDisruptionBudget", "NetworkPolicy"));
    assertThat(text).containsOnlyOnce("containerPort: " + ServiceSettings.DEFAULT_PORT);
    assertThat(text).contains("path: /health/ready", "path: /health/live");
  }

  @Test
  void podsHaveNoServiceAccountTokenAndRestrictedEgress() {
    var text = read(DEPLOY.resolve("kubernetes/headgate.yaml"));
    assertThat(text)
        .contains("automountServiceAccountToken: false")
        .contains("policyTypes: [Ingress, Egress]")
        .contains("port: " + ServiceSettings.DEFAULT_PORT, "port: 6379", "port: 5432", "port: 53");
  }

  @Test
  void imagesArePinned() {
    var images =
        Pattern.compile("(?m)^\\s+image: (\\S+)")
            .matcher(
                read(DEPLOY.resolve("kubernetes/headgate.yaml"))
                    + read(DEPLOY.resolve("docker/compose.yaml")))
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(images)
        .hasSize(3)
        .allMatch(image -> image.matches(".+:\\d+\\.\\d+\\.\\d+.*|.+@sha256:.+"));
  }

  @Test
  void systemServiceMakesPrivateFiles() {
    assertThat(read(DEPLOY.resolve("systemd/headgate.service")))
        .contains("\nUMask=0077\n", "\nStateDirectoryMode=0700\n");
  }

  private static long number(String file, String pattern) {
    var found = Pattern.compile(pattern).matcher(read(DEPLOY.resolve(file)));
    assertThat(found.find()).as("%s in %s", pattern, file).isTrue();
    return Long.parseLong(found.group(1));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
