package io.headgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Checks that the workflows in {@code .github} have few rights and name what exists. */
class WorkflowsTest {
  private static final Path GITHUB = Markdown.ROOT.resolve(".github");

  /** A commit, which can't be moved, with the version that it was. */
  private static final Pattern PINNED =
      Pattern.compile("[\\w-]+(/[\\w-]+)+@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+");

  static Stream<Path> workflows() throws IOException {
    try (var files = Files.list(GITHUB.resolve("workflows"))) {
      return files.sorted().toList().stream();
    }
  }

  @Test
  void workflowsBuildAnalyzeAndRelease() throws IOException {
    assertThat(workflows().map(file -> file.getFileName().toString()))
        .containsExactly("build.yml", "codeql.yml", "release.yml");
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void actionsArePinned(Path workflow) throws IOException {
    assertThat(matches(Files.readString(workflow), "uses: (.+)"))
        .isNotEmpty()
        .allMatch(action -> PINNED.matcher(action).matches());
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void rightsAreNamedAndStepsWithSecretsInstallNothing(Path workflow) throws IOException {
    var top = yaml(workflow);
    assertThat(child(top, "permissions").values()).allMatch("read"::equals);
    for (var job : child(top, "jobs").entrySet()) {
      var name = workflow.getFileName() + " " + job.getKey();
      var settings = map(job.getValue());
      assertThat(settings).as(name).containsKeys("runs-on", "timeout-minutes", "steps");
      if (child(top, "permissions").isEmpty())
        assertThat(settings).as(name).containsKey("permissions");
      if (steps(settings).anyMatch(step -> step.contains("secrets."))) {
        assertThat(settings).as(name).containsEntry("environment", "release");
      }
      assertThat(steps(settings).filter(step -> step.contains("secrets.")))
          .as(name)
          .noneMatch(step -> step.matches("(?s).*(npm (ci|install|run)|pip install).*"));
      assertThat(steps(settings).filter(step -> step.contains("actions/checkout")))
          .as(name)
          .isNotEmpty()
          .allMatch(step -> step.contains("persist-credentials=false"));
    }
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void commandsNameScriptsModulesAndProfilesThatExist(Path workflow) throws IOException {
    var text = Files.readString(workflow);
    for (var script :
        matches(text, "(?:run: |\\$\\()(?:\\./)?((?:bin/)?[a-z-]+)(?:\\)|$| --build)")) {
      assertThat(Markdown.ROOT.resolve(script)).isExecutable();
    }
    var pom = Files.readString(Markdown.ROOT.resolve("pom.xml"));
    for (var profiles : matches(text, "-P([a-z,]+)")) {
      for (var profile : profiles.split(",", -1))
        assertThat(pom).contains("<id>" + profile + "</id>");
    }
    for (var modules : matches(text, "-pl ([a-z,]+)")) {
      for (var module : modules.split(",", -1)) {
        assertThat(Markdown.ROOT.resolve(module).resolve("pom.xml")).isRegularFile();
      }
    }
    for (var directory :
        matches(text, "(?:working-directory: |lint --strict |helm package )([\\w/-]+)")) {
      assertThat(Markdown.ROOT.resolve(directory)).isDirectory();
    }
  }

  @Test
  void dependencyUpdatesNameDirectoriesWithTheirManifest() throws IOException {
    var manifests =
        Map.of(
            "maven",
            "pom.xml",
            "npm",
            "package.json",
            "gomod",
            "go.mod",
            "pip",
            "pyproject.toml",
            "docker-compose",
            "compose.yaml",
            "github-actions",
            ".github");
    var seen = new ArrayList<String>();
    for (var update :
        (List<?>) Objects.requireNonNull(yaml(GITHUB.resolve("dependabot.yml")).get("updates"))) {
      var settings = map(update);
      var ecosystem = String.valueOf(settings.get("package-ecosystem"));
      seen.add(ecosystem);
      var directories =
          settings.get("directories") instanceof List<?> several
              ? several
              : List.of(Objects.requireNonNull(settings.get("directory")));
      for (var directory : directories) {
        var path = Markdown.ROOT.resolve(String.valueOf(directory).substring(1));
        assertThat(path.resolve(Objects.requireNonNull(manifests.get(ecosystem)))).exists();
      }
    }
    assertThat(seen).containsExactlyInAnyOrderElementsOf(manifests.keySet());
  }

  private static Stream<String> steps(Map<String, Object> job) {
    return ((List<?>) Objects.requireNonNull(job.get("steps"))).stream().map(String::valueOf);
  }

  private static Map<String, Object> yaml(Path file) throws IOException {
    var load = new Load(LoadSettings.builder().build());
    return map(Objects.requireNonNull(load.loadFromString(Files.readString(file))));
  }

  private static Map<String, Object> child(Map<String, Object> parent, String name) {
    return map(Objects.requireNonNull(parent.get(name), name));
  }

  @SuppressWarnings("unchecked") // the keys of these files are names
  private static Map<String, Object> map(Object value) {
    return (Map<String, Object>) value;
  }

  private static List<String> matches(String text, String pattern) {
    return Pattern.compile(pattern, Pattern.MULTILINE)
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .toList();
  }
}
