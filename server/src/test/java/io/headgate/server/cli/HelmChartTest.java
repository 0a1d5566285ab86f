package io.headgate.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import io.headgate.server.ServiceSettings;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Checks the structure of the Helm chart without Helm, and what it renders if {@code helm} is on
 * the path. {@link DeployFilesTest} checks its environment variables.
 */
class HelmChartTest {
  private static final Path CHART = Path.of("..", "deploy", "helm", "headgate");
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String REDIS =
      """
      secret:
        adminToken: 0123456789abcdef
        checkToken: 0123456789abcdef-check
        readToken: 0123456789abcdef-read
        storeUrl: redis://:secret@redis:6379
        databaseUrl: postgresql://headgate:secret@postgres:5432/headgate
      serviceMonitor: { enabled: true }
      autoscaling: { enabled: true }
      """;

  private static final String CLUSTER =
      """
      secret: { existing: headgate }
      store: { kind: cluster }
      database: h2
      rules: |
        rules:
          - id: per-user
            match: { key: "user:*" }
            limit: { algorithm: token-bucket, rate: 100/1m }
      options: { HEADGATE_LOG_FORMAT: json }
      """;

  @TempDir Path folder;

  @Test
  void defaultValuesAndExamplesMatchTheSchema() throws IOException {
    assertThat(violations(Files.readString(CHART.resolve("values.yaml")))).isEmpty();
    assertThat(violations(REDIS)).isEmpty();
    assertThat(violations(CLUSTER)).isEmpty();
  }

  @Test
  void schemaRejectsUnknownNamesAndBadValues() throws IOException {
    for (var bad :
        List.of(
            "replicaCount: 3",
            "replicas: 0",
            "store: { kind: postgres }",
            "secret: { adminToken: short }",
            "secret: { storeUrl: \"http://redis\" }",
            "image: { repository: headgate, digest: latest }",
            "options: { PORT: 1 }",
            "terminationGracePeriodSeconds: 5")) {
      assertThat(violations(bad)).as(bad).isNotEmpty();
    }
  }

  @Test
  void schemaDescribesEveryValueAndNoOther() throws IOException {
    var schema = JSON.readTree(CHART.resolve("values.schema.json").toFile());
    var described = names(schema.get("properties"));
    described.remove("global"); // which Helm adds
    assertThat(described).isEqualTo(names(values()));
  }

  @Test
  void templatesUseTheValuesThatExistAndAllOfThem() throws IOException {
    var used = new TreeSet<String>();
    for (var found :
        Pattern.compile("\\.Values\\.([A-Za-z.]+)").matcher(templates()).results().toList()) {
      var path = found.group(1);
      used.add(path.replaceFirst("\\..*", ""));
      assertThat(values().at("/" + path.replace('.', '/')).isMissingNode()).as(path).isFalse();
    }
    assertThat(used).isEqualTo(names(values()));
  }

  @Test
  void templatesHaveEveryKindAndCloseTheirBlocks() throws IOException {
    var text = templates();
    assertThat(matches(text, "(?m)^kind: (\\w+)"))
        .contains("Deployment", "Service", "Secret", "ConfigMap", "HorizontalPodAutoscaler")
        .contains("PodDisruptionBudget", "ServiceMonitor", "NetworkPolicy");
    int opened = matches(text, "\\{\\{-? (if|with|range|define) ").size();
    assertThat(matches(text, "\\{\\{-? (end) ")).hasSize(opened);
    assertThat(matches(text, "(\\{\\{)")).hasSameSizeAs(matches(text, "(\\}\\})"));
  }

  @Test
  void chartRunsTheImageOfTheBuild() throws IOException {
    var chart = yaml(Files.readString(CHART.resolve("Chart.yaml")));
    var version =
        matches(Files.readString(Path.of("..", "pom.xml")), "<version>([^<]+)").getFirst();
    assertThat(chart.get("version").asText()).isEqualTo(version);
    assertThat(chart.get("appVersion").asText()).isEqualTo(version);
    var image = Files.readString(Path.of("..", "image", "pom.xml"));
    var deployment = Files.readString(CHART.resolve("templates/deployment.yaml"));
    assertThat(image).contains("<user>10001:10001</user>");
    assertThat(deployment)
        .contains("runAsUser: 10001", "runAsGroup: 10001", "readOnlyRootFilesystem: true")
        .contains("mountPath: /var/lib/headgate", "mountPath: /tmp")
        .contains("containerPort: " + ServiceSettings.DEFAULT_PORT);
  }

  @Test
  void podsEndLaterThanTheServiceCompletesItsRequests() throws IOException {
    long grace = ServiceSettings.DEFAULT_SHUTDOWN_GRACE.toSeconds();
    assertThat(values().get("terminationGracePeriodSeconds").asLong())
        .isGreaterThan(grace + values().get("preStopSeconds").asLong());
  }

  @Test
  void helmRendersBothStores() throws Exception {
    var redis = render(REDIS);
    assertThat(redis.keySet())
        .containsExactlyInAnyOrder(
            "Deployment/test-headgate",
            "Service/test-headgate",
            "Service/test-headgate-pods",
            "Secret/test-headgate",
            "HorizontalPodAutoscaler/test-headgate",
            "PodDisruptionBudget/test-headgate",
            "ServiceMonitor/test-headgate",
            "NetworkPolicy/test-headgate");
    assertThat(redis.get("Service/test-headgate-pods").at("/spec/clusterIP").asText())
        .isEqualTo("None");
    assertThat(redis.get("Deployment/test-headgate").at("/spec/replicas").isMissingNode()).isTrue();

    var cluster = render(CLUSTER);
    assertThat(cluster.keySet())
        .contains("Service/test-headgate-cluster", "ConfigMap/test-headgate")
        .doesNotContain("Secret/test-headgate");
    var members = cluster.get("Service/test-headgate-cluster").get("spec");
    assertThat(members.get("clusterIP").asText()).isEqualTo("None");
    assertThat(members.get("publishNotReadyAddresses").asBoolean()).isTrue();
    assertThat(cluster.get("Deployment/test-headgate").findValuesAsText("value"))
        .contains("test-headgate-cluster:7574", "cluster");
  }

  @Test
  void helmRefusesToRenderWithoutTokens() throws Exception {
    assertThat(helm(1, "template", "test", CHART.toString())).contains("secret.");
    assertThat(
            helm(
                1,
                "template",
                "test",
                CHART.toString(),
                "--set",
                "store.kind=memory,secret.existing=headgate"))
        .contains("set replicas: 1");
  }

  /** Returns the resources that Helm renders, by kind and name. */
  private Map<String, JsonNode> render(String values) throws Exception {
    var file = Files.writeString(folder.resolve("values.yaml"), values);
    helm(0, "lint", "--strict", CHART.toString(), "--values", file.toString());
    var text = helm(0, "template", "test", CHART.toString(), "--values", file.toString());
    var load = new Load(LoadSettings.builder().build());
    return StreamSupport.stream(load.loadAllFromString(text).spliterator(), false)
        .map(document -> JSON.<JsonNode>valueToTree(document))
        .collect(
            Collectors.toMap(
                resource ->
                    resource.get("kind").asText() + "/" + resource.at("/metadata/name").asText(),
                resource -> resource));
  }

  private static String helm(int exitCode, String... args) throws Exception {
    assumeTrue(isInstalled(), "helm is not on the PATH: the chart is not rendered");
    var command = new ArrayList<>(List.of("helm"));
    command.addAll(List.of(args));
    command.addAll(List.of("--kube-version", "1.31.0"));
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    var printed = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(printed).isEqualTo(exitCode);
    return printed;
  }

  private static boolean isInstalled() {
    return Pattern.compile(Pattern.quote(File.pathSeparator))
        .splitAsStream(Objects.requireNonNullElse(System.getenv("PATH"), ""))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "helm")));
  }

  private static List<String> violations(String values) throws IOException {
    var schema =
        JsonSchemaFactory.getInstance(VersionFlag.V7)
            .getSchema(Files.readString(CHART.resolve("values.schema.json")));
    return schema.validate(yaml(values)).stream().map(Object::toString).toList();
  }

  private static JsonNode values() throws IOException {
    return yaml(Files.readString(CHART.resolve("values.yaml")));
  }

  private static JsonNode yaml(String text) {
    var load = new Load(LoadSettings.builder().build());
    return JSON.valueToTree(Objects.requireNonNull(load.loadFromString(text)));
  }

  private static Set<String> names(JsonNode object) {
    var names = new TreeSet<String>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static String templates() throws IOException {
    try (var files = Files.list(CHART.resolve("templates"))) {
      var text = new StringBuilder();
      for (var file : files.sorted().toList()) text.append(Files.readString(file)).append('\n');
      return text.toString();
    }
  }

  private static List<String> matches(String text, String pattern) {
    return Pattern.compile(pattern).matcher(text).results().map(found -> found.group(1)).toList();
  }
}
