package io.headgate.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Tests the tar of {@code mvn -Pimage package}: its configuration, its files, and the service in it
 * on a read-only root as an unprivileged user, which is what a container runtime does.
 */
class ImageIT {
  private static final Path TAR = Path.of("..", "image", "target", "headgate-image.tar");
  private static final long PATIENCE_SECONDS = 120;

  /** Directories of the image are mounted as a container runtime mounts them. */
  private static final String CONTAINER =
      """
      set -eu
      root=$1; shift
      mount --bind "$root" "$root"
      mount --rbind /proc "$root/proc"
      mount --rbind /dev "$root/dev"
      mount -o remount,bind,ro "$root"
      mount -t tmpfs -o nosuid,nodev,noexec tmpfs "$root/tmp"
      mount -t tmpfs -o nosuid,nodev,noexec,mode=0700,uid=10001,gid=10001 tmpfs "$root/var/lib/headgate"
      exec env -i "$@"
      """;

  private static final List<String> NAMES_OF_LAYERS = new ArrayList<>();

  @TempDir static Path folder;
  private static Path root;
  private static Map<String, Object> config;

  @BeforeAll
  static void unpack() throws Exception {
    assumeTrue(Files.exists(TAR), "there is no image; mvn -Pimage -DskipTests package builds it");
    var layout = Files.createDirectory(folder.resolve("layout"));
    root = Files.createDirectory(folder.resolve("root"));
    run("tar", "xf", TAR.toString(), "-C", layout.toString());
    // The form that every version of docker load reads.
    var manifest = map(((List<?>) parse(layout.resolve("manifest.json"))).getFirst());
    assertThat(list(manifest, "RepoTags").toString()).startsWith("[headgate:");
    config = map(parse(layout.resolve(String.valueOf(manifest.get("Config")))));
    for (var layer : list(manifest, "Layers")) {
      var file = layout.resolve(String.valueOf(layer)).toString();
      NAMES_OF_LAYERS.add(run("tar", "xzvf", file, "-C", root.toString()));
    }
  }

  @Test
  void configurationRunsTheServiceAsAnUnprivilegedUser() {
    assertThat(config.get("os")).isEqualTo("linux");
    assertThat(config.get("architecture")).isIn("amd64", "arm64");
    var container = child(config, "config");
    assertThat(container.get("User")).isEqualTo("10001:10001");
    assertThat(list(container, "Cmd")).hasToString("[serve]");
    assertThat(list(container, "Env")).hasToString("[HEADGATE_HOST=0.0.0.0]");
    assertThat(container.get("WorkingDir")).isEqualTo("/var/lib/headgate");
    assertThat(child(container, "ExposedPorts")).containsOnlyKeys("8080/tcp");
    assertThat(child(container, "Volumes")).containsOnlyKeys("/var/lib/headgate");
    assertThat(child(container, "Labels"))
        .containsEntry("org.opencontainers.image.licenses", "Apache-2.0")
        .containsKeys("org.opencontainers.image.source", "org.opencontainers.image.version");
  }

  @Test
  void entrypointNamesFilesOfTheImage() {
    for (var word : entrypoint()) {
      var file = word.replaceFirst("^[^/]*(?=/)", "");
      if (file.startsWith("/")) assertThat(root.resolve(file.substring(1))).isRegularFile();
    }
    assertThat(root.resolve("opt/java/bin/java")).isExecutable();
    assertThat(root.resolve("opt/headgate/LICENSE")).isRegularFile();
  }

  @Test
  void imageHasNoShellAndNothingThatOthersMayChange() throws Exception {
    try (var files = Files.walk(root)) {
      for (var file : files.toList()) {
        assertThat(file.getFileName().toString()).isNotIn("sh", "bash", "busybox", "dpkg", "apt");
        boolean open =
            Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_WRITE);
        assertThat(open).as("%s", file).isEqualTo(isForData(file));
      }
    }
  }

  private static boolean isForData(Path file) {
    return List.of("tmp", "var/lib/headgate").contains(root.relativize(file).toString());
  }

  @Test
  void runtimeIsInALayerOfItsOwn() {
    var withRuntime =
        NAMES_OF_LAYERS.stream().filter(names -> names.contains("opt/java/lib/modules")).toList();
    assertThat(withRuntime).hasSize(1);
    assertThat(withRuntime.getFirst()).doesNotContain("headgate.jar");
  }

  @Test
  void serviceDecidesOnAReadOnlyRootWithItsCacheAndNativeTransport() throws Exception {
    var output = folder.resolve("serve.txt");
    var process =
        start(
            output, List.of("HEADGATE_WARM_UP=0s"), "serve", "--host", "127.0.0.1", "--port", "0");
    try {
      var listens = Pattern.compile("http://127\\.0\\.0\\.1:(\\d+)");
      await()
          .atMost(Duration.ofSeconds(PATIENCE_SECONDS))
          .until(() -> !process.isAlive() || listens.matcher(Files.readString(output)).find());
      var found = listens.matcher(Files.readString(output));
      assertThat(found.find()).as(Files.readString(output)).isTrue();
      var request =
          HttpRequest.newBuilder(URI.create(found.group() + "/v1/check"))
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString("{\"key\":\"user:42\"}"));
      try (var client = HttpClient.newHttpClient()) {
        assertThat(client.send(request.build(), BodyHandlers.ofString()).body())
            .contains("\"allowed\":true");
      }
      var state = Path.of("/proc", Long.toString(process.pid()));
      assertThat(Files.readString(state.resolve("status"))).containsPattern("Uid:\\s+10001\\s");
      assertThat(Files.readString(state.resolve("maps")))
          .contains("headgate.aot", "libnetty_transport_native_epoll");
      process.destroy();
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void serviceDoesNotStartWithoutAnAdminToken() throws Exception {
    var output = folder.resolve("refused.txt");
    var process = start(output, List.of(), "serve");
    try {
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(2);
      assertThat(Files.readString(output)).contains("admin-token");
    } finally {
      process.destroyForcibly();
    }
  }

  /** Starts the entry point in a mount namespace of its own, which ends with the process. */
  private static Process start(Path output, List<String> environment, String... args)
      throws Exception {
    assumeTrue(canMount(), "only root with the right to mount can start the image");
    var container = child(config, "config");
    var command = new ArrayList<String>(List.of("unshare", "--mount", "bash", "-c", CONTAINER));
    command.addAll(List.of("container", root.toAbsolutePath().toString()));
    list(container, "Env").forEach(entry -> command.add((String) entry));
    command.addAll(environment);
    var user = String.valueOf(container.get("User")).split(":", -1);
    command.addAll(List.of("unshare", "--root", root.toAbsolutePath().toString()));
    command.addAll(List.of("--wd", String.valueOf(container.get("WorkingDir"))));
    command.addAll(List.of("--setuid", user[0], "--setgid", user[1]));
    command.addAll(entrypoint());
    command.addAll(List.of(args));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }

  private static boolean canMount() throws Exception {
    var probe =
        new ProcessBuilder("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt").start();
    return probe.waitFor() == 0;
  }

  private static List<String> entrypoint() {
    return list(child(config, "config"), "Entrypoint").stream().map(String::valueOf).toList();
  }

  private static String run(String... command) throws IOException, InterruptedException {
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    var printed = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    return printed;
  }

  private static Object parse(Path file) throws IOException {
    var load = new Load(LoadSettings.builder().build());
    return Objects.requireNonNull(load.loadFromString(Files.readString(file)));
  }

  private static Map<String, Object> child(Map<String, Object> parent, String name) {
    return map(Objects.requireNonNull(parent.get(name), name));
  }

  private static List<?> list(Map<String, Object> parent, String name) {
    return (List<?>) Objects.requireNonNull(parent.get(name), name);
  }

  @SuppressWarnings("unchecked") // JSON has no other objects
  private static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }
}
