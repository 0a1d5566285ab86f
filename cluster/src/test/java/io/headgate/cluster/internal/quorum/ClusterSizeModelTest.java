package io.headgate.cluster.internal.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tlc2.TLC;

/**
 * Model checks which members of a cluster decide, {@code src/test/tla/ClusterSize.tla}, with TLC.
 */
class ClusterSizeModelTest {
  private static final Path MODEL = Path.of("src/test/tla");
  private static final String CHECKED = "Model checking completed. No error has been found.";

  @TempDir private Path work;

  @ParameterizedTest
  @ValueSource(strings = {"cut-and-restart", "two-members", "three-members", "join-and-leave"})
  void noTwoSetsOfMembersDecide(String configuration) throws Exception {
    assertThat(check(configuration)).contains(CHECKED);
  }

  /** Takes minutes, so it runs only on request. */
  @ParameterizedTest
  @ValueSource(strings = {"two-changes", "four-members"})
  @EnabledIfSystemProperty(named = "headgate.model.full", matches = "true")
  void noTwoSetsOfMembersDecideInLongerRuns(String configuration) throws Exception {
    assertThat(check(configuration)).contains(CHECKED);
  }

  /** Shows that the model can fail, and why a change of the voters needs an agreement. */
  @Test
  void withoutAgreementTwoSetsDecide() throws Exception {
    assertThat(check("without-agreement")).contains("Invariant OneDecides is violated");
  }

  /** Runs TLC in a separate process, since it exits the JVM and keeps static state. */
  private String check(String configuration)
      throws IOException, InterruptedException, URISyntaxException {
    for (var file : new String[] {"ClusterSize.tla", configuration + ".cfg"}) {
      Files.copy(MODEL.resolve(file), work.resolve(file));
    }
    var tools = new File(TLC.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    var output = work.resolve("output");
    var process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // Takes the least CPU time: it ends before the optimizing compiler pays off.
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx1g",
                "-Xmn400m",
                "-Djava.io.tmpdir=" + work,
                "-cp",
                tools.getPath(),
                "tlc2.TLC",
                "-workers",
                "1",
                "-nowarning",
                "-cleanup",
                "-config",
                configuration + ".cfg",
                "ClusterSize")
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      process.waitFor();
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(output);
  }
}
