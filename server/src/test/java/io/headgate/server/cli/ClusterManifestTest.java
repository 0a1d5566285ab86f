package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.cluster.ClusterOptions;
import io.headgate.cluster.MemberAddress;
import io.headgate.server.ServiceSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Checks that the parts of the manifest of a cluster fit together and match the program. */
class ClusterManifestTest {
  private static final Path FILE = Path.of("..", "deploy", "kubernetes", "cluster.yaml");
  private static final Map<String, JsonNode> DOCUMENTS = new HashMap<>();

  private static JsonNode pods;
  private static JsonNode container;
  private static String text;

  @BeforeAll
  static void read() throws Exception {
    text = Files.readString(FILE);
    var mapper = new ObjectMapper();
    for (var document : new Load(LoadSettings.builder().build()).loadAllFromString(text)) {
      JsonNode node = mapper.valueToTree(document);
      var name = node.at("/kind").asText() + " " + node.at("/metadata/name").asText();
      assertThat(DOCUMENTS.put(name, node)).as(name).isNull();
    }
    pods = DOCUMENTS.get("StatefulSet headgate-cluster").at("/spec");
    container = pods.at("/template/spec/containers/0");
  }

  private static JsonNode variable(String name) {
    for (var each : container.get("env")) {
      if (each.get("name").asText().equals(name)) return each;
    }
    throw new AssertionError(name);
  }

  @Test
  void everyPartSelectsTheMembers() {
    assertThat(DOCUMENTS.keySet())
        .containsExactlyInAnyOrder(
            "StatefulSet headgate-cluster",
            "Service headgate-members",
            "Service headgate-cluster",
            "PodDisruptionBudget headgate-cluster",
            "NetworkPolicy headgate-cluster");
    var labels = pods.at("/template/metadata/labels");
    assertThat(labels.get("app").asText()).isEqualTo("headgate-cluster");
    assertThat(
            List.of(
                pods.at("/selector/matchLabels"),
                pods.at(
                    "/template/spec/affinity/podAntiAffinity"
                        + "/requiredDuringSchedulingIgnoredDuringExecution/0/labelSelector/matchLabels"),
                DOCUMENTS.get("Service headgate-members").at("/spec/selector"),
                DOCUMENTS.get("Service headgate-cluster").at("/spec/selector"),
                DOCUMENTS
                    .get("PodDisruptionBudget headgate-cluster")
                    .at("/spec/selector/matchLabels"),
                DOCUMENTS
                    .get("NetworkPolicy headgate-cluster")
                    .at("/spec/podSelector/matchLabels")))
        .allMatch(labels::equals);
  }

  @Test
  void membersFindEachOtherByTheirNamesBeforeTheyAreReady() {
    var service = DOCUMENTS.get("Service headgate-members");
    assertThat(pods.get("serviceName")).isEqualTo(service.at("/metadata/name"));
    assertThat(service.at("/spec/clusterIP").asText()).isEqualTo("None");
    assertThat(service.at("/spec/publishNotReadyAddresses").asBoolean()).isTrue();
    var members = new ArrayList<MemberAddress>();
    for (int i = 0; i < pods.get("replicas").asInt(); i++) {
      var host = "headgate-cluster-%d.headgate-members".formatted(i);
      members.add(new MemberAddress(host, ClusterOptions.DEFAULT_PORT));
    }
    assertThat(MemberAddress.parseAll(variable("HEADGATE_JOIN").get("value").asText()))
        .isEqualTo(members)
        .hasSize(3);
    assertThat(variable("HEADGATE_CLUSTER_HOST").at("/valueFrom/fieldRef/fieldPath").asText())
        .isEqualTo("status.podIP");
    assertThat(variable("HEADGATE_CLUSTER_SIZE").get("value").asInt())
        .isEqualTo(pods.get("replicas").asInt());
    assertThat(pods.get("podManagementPolicy").asText()).isEqualTo("Parallel");
  }

  @Test
  void portsOfMembersAreFixedAndLetThrough() {
    var ports = new TreeSet<Integer>();
    for (var port : container.get("ports")) ports.add(port.get("containerPort").asInt());
    int cluster = variable("HEADGATE_CLUSTER_PORT").get("value").asInt();
    int data = variable("HEADGATE_CLUSTER_DATA_PORT").get("value").asInt();
    assertThat(ports).containsExactlyInAnyOrder(ServiceSettings.DEFAULT_PORT, cluster, data);
    assertThat(cluster).isEqualTo(ClusterOptions.DEFAULT_PORT);
    var policy = DOCUMENTS.get("NetworkPolicy headgate-cluster");
    for (var path : List.of("/spec/ingress/1", "/spec/egress/1")) {
      var let = new TreeSet<Integer>();
      for (var port : policy.at(path).get("ports")) let.add(port.get("port").asInt());
      assertThat(let).as(path).containsExactlyInAnyOrder(cluster, data);
    }
  }

  @Test
  void secretsComeFromTheSecretThatTheHeaderCreates() {
    var keys = new TreeSet<String>();
    for (var each : container.get("env")) {
      var reference = each.at("/valueFrom/secretKeyRef");
      if (reference.isMissingNode()) continue;
      assertThat(reference.get("name").asText()).isEqualTo("headgate-cluster");
      keys.add(reference.get("key").asText());
    }
    assertThat(keys).contains("cluster-secret").hasSize(4);
    for (var key : keys) assertThat(text).contains("--from-literal=" + key + "=");
  }

  @Test
  void memberLeavesInOrderAndOneAtATime() {
    long pause = container.at("/lifecycle/preStop/sleep/seconds").asLong();
    assertThat(pods.at("/template/spec/terminationGracePeriodSeconds").asLong())
        .isGreaterThan(ServiceSettings.DEFAULT_SHUTDOWN_GRACE.toSeconds() + pause);
    assertThat(pods.get("minReadySeconds").asInt()).isPositive();
    var budget = DOCUMENTS.get("PodDisruptionBudget headgate-cluster");
    assertThat(budget.at("/spec/maxUnavailable").asInt()).isEqualTo(1);
    assertThat(container.at("/readinessProbe/httpGet/path").asText()).isEqualTo("/health/ready");
    assertThat(container.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/health/live");
  }

  @Test
  void podsArePinnedAndRestricted() {
    assertThat(container.get("image").asText()).matches(".+:\\d+\\.\\d+\\.\\d+.*|.+@sha256:.+");
    assertThat(pods.at("/template/spec/automountServiceAccountToken").asBoolean(true)).isFalse();
    assertThat(container.at("/securityContext/readOnlyRootFilesystem").asBoolean()).isTrue();
    assertThat(pods.at("/template/spec/securityContext/runAsNonRoot").asBoolean()).isTrue();
  }
}
