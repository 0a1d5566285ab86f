package io.headgate.limit;

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

/** Model checks the permit lease protocol, {@code src/test/tla/PermitLease.tla}, with TLC. */
class PermitLeaseModelTest {
  private static final Path MODEL = Path.of("src/test/tla");
  private static final String CHECKED = "Model checking completed. No error has been found.";

  @TempDir private Path work;

  @ParameterizedTest
  @ValueSource(strings = {"changed-limit", "drift-and-expiry"})
  void noRunAdmitsMoreThanTheLimit(String configuration) throws Exception {
    assertThat(check(configuration)).contains(CHECKED);
  }

  /** Takes a minute on two cores, so it runs only on request. */
  @Test
  @EnabledIfSystemProperty(named = "headgate.model.full", matches = "true")
  void noRunOfTwoInstancesAdmitsMoreThanTheLimit() throws Exception {
    assertThat(check("two-instances")).contains(CHECKED);
  }

  /** Shows that the model can fail, and why takes need an order. */
  @Test
  void withoutOrderingALateTakeExceedsTheLimit() throws Exception {
    assertThat(check("overtaken-takes")).contains("Invariant Bounded is violated");
  }

  /** Runs TLC in a separate process, since it exits the JVM and keeps static state. */
  private String check(String configuration)
      throws IOException, InterruptedException, URISyntaxException {
    for (var file : new String[] {"PermitLease.tla", configuration + ".cfg"}) {
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
                "PermitLease")
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
