package io.headgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.cluster.ClusterOptions;
import io.headgate.cluster.ClusterStore;
import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.Shed;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Tuning;
import io.headgate.load.ShedPolicy;
import io.headgate.load.SignalKind;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.testkit.net.FreePorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The files in {@code deploy/} and the table in {@code docs/monitoring.md} match the metrics of a
 * real service, and promtool accepts them. To regenerate the table: {@code
 * -Dheadgate.docs.record=true}
 */
class PrometheusFilesTest {
  private static final Path PROMETHEUS = Path.of("..", "deploy", "prometheus");
  private static final Path DASHBOARD = Path.of("..", "deploy", "grafana", "headgate.json");
  private static final Path PAGE = Path.of("..", "docs", "monitoring.md");
  private static final String BEGIN = "<!-- metrics begin -->\n";
  private static final String END = "<!-- metrics end -->";

  private static final Pattern METRIC =
      Pattern.compile("\\b(?:headgate|jvm|process|system)_[a-z0-9_]+\\b");

  private static final RunningService SERVICE =
      RunningService.with(
          Rule.named("all").limit(FixedWindow.of(Rate.perHour(1))).build(),
          Rule.named("slots").limit(AdaptiveConcurrency.between(1, 9)).build(),
          Rule.named("tuned")
              .match("backend", "*")
              .limit(
                  RuleLimit.of("tuned", TokenBucket.of(Rate.perSecond(10)))
                      .withTuning(
                          new Tuning(
                              Rate.perSecond(1),
                              Rate.perSecond(100),
                              SignalKind.LATENCY,
                              250,
                              Optional.empty())))
              .build(),
          Rule.named("overload")
              .match("backend", "*")
              .limit(new Shed(ShedPolicy.of(SignalKind.UTILIZATION, 0.8)))
              .build(),
          Rule.named("trial").mode(Mode.SHADOW).limit(FixedWindow.of(Rate.perHour(1))).build());

  private static String page;

  @BeforeAll
  static void makeEverySeries() {
    System.gc(); // creates the series of collections
    for (int i = 0; i < 3; i++) SERVICE.post("/v1/check", "{\"key\":\"x\",\"cost\":" + i + "}");
    SERVICE.post("/v1/check", "{\"subject\":{\"backend\":\"x\"}}");
    SERVICE.reset("x", SERVICE.limiter.rules().rules().getFirst());
    SERVICE.post("/v1/check", "{\"key\":\"x\"}");
    page = SERVICE.request("GET", "/metrics").body() + metricsOfAMember();
  }

  /** Returns the metrics that only members of a cluster have. */
  private static String metricsOfAMember() {
    int port = FreePorts.find(1).getFirst();
    var options =
        ClusterOptions.builder("127.0.0.1:" + port).port(port).name("metrics" + port).build();
    var rule = Rule.named("all").limit(FixedWindow.of(Rate.perHour(1))).build();
    try (var member = RunningService.over(ClusterStore.join(options), rule)) {
      return member
          .request("GET", "/metrics")
          .body()
          .lines()
          .filter(line -> line.contains("headgate_cluster_"))
          .collect(Collectors.joining("\n", "", "\n"));
    }
  }

  @AfterAll
  static void stop() {
    SERVICE.close();
  }

  private static String promtool(String input, String... arguments) throws Exception {
    var command = Stream.concat(Stream.of("promtool"), Stream.of(arguments)).toList();
    var process =
        new ProcessBuilder(command)
            .directory(PROMETHEUS.toFile())
            .redirectErrorStream(true)
            .start();
    try (var in = process.getOutputStream()) {
      in.write(input.getBytes(StandardCharsets.UTF_8));
    }
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() + " " + output;
  }

  @Test
  void promtoolAcceptsTheMetrics() throws Exception {
    assertThat(promtool(page, "check", "metrics")).isEqualTo("0 ");
    assertThat(promtool("bad_name_ms 1\n", "check", "metrics")).isNotEqualTo("0 ");
  }

  @Test
  void alertsPassTheirTests() throws Exception {
    assertThat(promtool("", "check", "rules", "alerts.yaml")).startsWith("0 ");
    assertThat(promtool("", "test", "rules", "alerts-test.yaml")).startsWith("0 ");
    var tests = Files.readString(PROMETHEUS.resolve("alerts-test.yaml"));
    Pattern.compile("alert: (\\w+)")
        .matcher(Files.readString(PROMETHEUS.resolve("alerts.yaml")))
        .results()
        .forEach(alert -> assertThat(tests).contains("alertname: " + alert.group(1)));
  }

  @Test
  void alertsOfRegionsPassTheirTests() throws Exception {
    assertThat(promtool("", "check", "rules", "alerts-regions.yaml")).startsWith("0 ");
    assertThat(promtool("", "test", "rules", "alerts-regions-test.yaml")).startsWith("0 ");
  }

  @Test
  void prometheusConfigurationIsValid() throws Exception {
    assertThat(promtool("", "check", "config", "--syntax-only", "prometheus.yaml"))
        .startsWith("0 ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../deploy/prometheus/alerts.yaml",
        "../deploy/prometheus/alerts-test.yaml",
        "../deploy/grafana/headgate.json",
        "../docs/monitoring.md"
      })
  void everyReferencedSeriesExists(String file) throws IOException {
    var named = new TreeSet<String>();
    METRIC.matcher(Files.readString(Path.of(file))).results().forEach(m -> named.add(m.group()));
    assertThat(named).hasSizeGreaterThan(5);
    var available = Series.parse(page).names();
    available.addAll(described().keySet());
    assertThat(available).containsAll(named);
  }

  @Test
  void grafanaDashboardIsValid() throws IOException {
    var dashboard = new ObjectMapper().readTree(DASHBOARD.toFile());
    assertThat(dashboard.get("title").asText()).isEqualTo("Headgate");
    var ids = dashboard.findValuesAsText("id");
    assertThat(ids).doesNotHaveDuplicates().hasSizeGreaterThan(10);
    for (var expression : dashboard.findValuesAsText("expr")) {
      assertThat(expression).containsPattern(METRIC);
    }
  }

  @Test
  void documentationListsEveryMetric() throws IOException {
    String text = Files.readString(PAGE);
    int begin = text.indexOf(BEGIN) + BEGIN.length();
    int end = text.indexOf(END);
    var table = new StringBuilder("| name | kind | |\n|---|---|---|\n");
    described()
        .forEach((name, description) -> {
          if (name.startsWith("headgate_")) table.append("| `").append(name).append(description);
        });
    String expected = text.substring(0, begin) + table + text.substring(end);
    if (Boolean.getBoolean("headgate.docs.record")) Files.writeString(PAGE, expected);
    assertThat(Files.readString(PAGE)).as("generated from the metrics").isEqualTo(expected);
  }

  /** Returns labels, kind and help of each metric as a row of the table. */
  private static Map<String, String> described() {
    var labels = new TreeMap<String, String>();
    for (var series : Series.parse(page).values().keySet()) {
      var names = new TreeSet<String>();
      Pattern.compile("[{,](\\w+)=\"")
          .matcher(series)
          .results()
          .forEach(m -> names.add(m.group(1)));
      names.remove("le");
      String name = series.replaceFirst("\\{.*", "").replaceFirst("_(bucket|count|sum)$", "");
      labels.put(name, names.isEmpty() ? "" : "{" + String.join(",", names) + "}");
    }
    var helps = new TreeMap<String, String>();
    var described = new TreeMap<String, String>();
    for (var line : page.lines().filter(l -> l.startsWith("# ")).toList()) {
      var words = line.split(" ", 4);
      if (words[1].equals("HELP")) helps.put(words[2], words[3]);
      if (!words[1].equals("TYPE")) continue;
      var help = helps.getOrDefault(words[2], "");
      described.put(words[2], "%s` | %s | %s |\n".formatted(labels.get(words[2]), words[3], help));
    }
    return described;
  }
}
