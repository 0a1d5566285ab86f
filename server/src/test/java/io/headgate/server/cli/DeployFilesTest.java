package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.ServiceSettings;
import io.headgate.server.cli.options.Configuration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Checks that the files in {@code deploy/} match the program. */
class DeployFilesTest {
  private static final Path DEPLOY = Path.of("..", "deploy");

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
  void manifestsSelectTheSamePods() {
    var load = new Load(LoadSettings.builder().build());
    var text = read(DEPLOY.resolve("kubernetes/headgate.yaml"));
    var kinds =
        StreamSupport.stream(load.loadAllFromString(text).spliterator(), false)
            .map(document -> ((Map<?, ?>) document).get("kind"))
            .toList();
    assertThat(kinds)
        .isEqualTo(List.of("Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy"));
    assertThat(text).containsOnlyOnce("containerPort: " + ServiceSettings.DEFAULT_PORT);
    assertThat(text).contains("path: /health/ready", "path: /health/live");
  }

  @Test
  void imageIsBuiltFromTheDistribution() {
    var text = read(DEPLOY.resolve("docker/Dockerfile"));
    assertThat(text).contains("COPY server/target/headgate-*.zip", "headgate warm-up");
    assertThat(text).contains("EXPOSE " + ServiceSettings.DEFAULT_PORT);
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
        Pattern.compile("(?m)^(?:\\s+image: |ARG JRE=|FROM )(\\S+)")
            .matcher(
                read(DEPLOY.resolve("kubernetes/headgate.yaml"))
                    + read(DEPLOY.resolve("docker/Dockerfile")))
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(images)
        .hasSize(4)
        .allMatch(image ->
            image.equals("${JRE}") || image.matches(".+:\\d+\\.\\d+\\.\\d+.*|.+@sha256:.+"));
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
