package io.headgate.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the zip as on a machine that has Java and no sources. */
class DistributionIT {
  private static final long PATIENCE_SECONDS = 120;

  @TempDir Path folder;

  @Test
  void commandWritesTheClassCacheInTheBackgroundAndLaterCommandsUseIt() throws Exception {
    var home = unpack();
    assertThat(run(home, "rules", "example")).contains("rules:");
    await().atMost(Duration.ofSeconds(PATIENCE_SECONDS)).until(() -> isComplete(caches(home)));
    var cache = caches(home).getFirst();
    assertThat(loadedFromCache(home)).contains("io.headgate.server.cli.Main");

    var written = Files.readAllBytes(cache);
    Files.write(cache, Arrays.copyOf(written, written.length / 2));
    assertThat(run(home, "--version")).matches("Headgate \\S+\n");
    Files.writeString(cache, "not a cache");
    assertThat(run(home, "--version")).matches("Headgate \\S+\n");
    Files.writeString(cache, "");
    assertThat(run(home, "--version")).matches("Headgate \\S+\n");
    assertThat(loadedFromCache(home)).doesNotContain("io.headgate.server.cli.Main");
  }

  /** A file with another suffix is still being written. */
  private static boolean isComplete(List<Path> caches) {
    return caches.size() == 1 && caches.getFirst().toString().matches(".*\\.(aot|jsa)");
  }

  private static List<Path> caches(Path home) throws IOException {
    try (var files = Files.list(home.resolve("lib"))) {
      return files.filter(file -> file.getFileName().toString().contains("-java")).toList();
    }
  }

  private static String loadedFromCache(Path home) throws Exception {
    var log = home.resolve("loaded.txt");
    Files.deleteIfExists(log);
    run(home, Map.of("HEADGATE_JAVA_OPTS", "-Xlog:class+load:file=" + log), "--version");
    return Files.readAllLines(log).stream()
        .filter(line -> line.contains("source: shared objects file"))
        .collect(Collectors.joining("\n"));
  }

  @Test
  void outOfMemoryExitsTheProcess() throws Exception {
    var environment = Map.of("HEADGATE_JAVA_OPTS", "-XX:+PrintFlagsFinal");
    assertThat(run(unpack(), environment, "serve", "--help"))
        .containsPattern("ExitOnOutOfMemoryError +=+ true");
  }

  @Test
  void distributionHasDeployFilesAndNoSources() throws Exception {
    var home = unpack();
    try (var files = Files.walk(home)) {
      var names = files.filter(Files::isRegularFile).map(file -> home.relativize(file).toString());
      assertThat(names)
          .contains(
              "headgate",
              "lib/headgate.jar",
              "LICENSE",
              "deploy/systemd/headgate.service",
              "deploy/docker/compose.yaml",
              "deploy/helm/headgate/Chart.yaml",
              "deploy/kubernetes/headgate.yaml")
          .noneMatch(name -> name.endsWith(".java"));
    }
  }

  private Path unpack() throws IOException {
    Path zip;
    try (var files = Files.list(Path.of("..", "server", "target"))) {
      // There are several after a change of the version.
      zip =
          files
              .filter(file -> file.getFileName().toString().matches("headgate-.*\\.zip"))
              .max(Comparator.comparingLong(file -> file.toFile().lastModified()))
              .orElseThrow();
    }
    try (var archive = new ZipFile(zip.toFile())) {
      for (var entry : archive.stream().toList()) {
        var target = folder.resolve(entry.getName());
        if (entry.isDirectory()) {
          Files.createDirectories(target);
        } else {
          Files.createDirectories(target.getParent());
          Files.copy(archive.getInputStream(entry), target);
        }
      }
    }
    try (var unpacked = Files.newDirectoryStream(folder, "headgate-*")) {
      var home = unpacked.iterator().next();
      for (var program : List.of("headgate", "bin/find-jdk")) {
        assertThat(home.resolve(program).toFile().setExecutable(true)).isTrue();
      }
      return home;
    }
  }

  private static String run(Path home, String... args) throws Exception {
    return run(home, Map.of(), args);
  }

  private static String run(Path home, Map<String, String> environment, String... args)
      throws Exception {
    var command = new ArrayList<String>();
    command.add(home.resolve("headgate").toString());
    command.addAll(List.of(args));
    var output = home.resolve("output.txt");
    var builder = new ProcessBuilder(command).directory(home.toFile());
    builder.redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("HEADGATE_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().putAll(environment);
    var process = builder.start();
    try {
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      String printed = Files.readString(output);
      assertThat(process.exitValue()).as(printed).isZero();
      return printed;
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
