package io.headgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks that every file that names the version of the build names the same. */
class VersionTest {
  private static final String VERSION = "\\d+\\.\\d+\\.\\d+(?:-SNAPSHOT|-rc\\.\\d+)?";

  @Test
  void modulesHaveTheVersionOfTheParent() throws IOException {
    var parent = read("pom.xml");
    for (var module : matches(parent, "<module>([^<]+)")) {
      assertThat(
              matches(
                  read(module + "/pom.xml"),
                  "headgate-(?:parent|bom)</artifactId>\\s*<version>([^<]+)"))
          .as(module)
          .containsOnly(version());
    }
  }

  @Test
  void clientsHaveTheVersionOfTheBuild() throws IOException {
    assertThat(matches(read("clients/typescript/package.json"), "\"version\": \"([^\"]+)"))
        .containsExactly(version());
    assertThat(
            matches(
                read("clients/typescript/package-lock.json"),
                "@headgate/client\",\\s*\"version\": \"([^\"]+)"))
        .isNotEmpty()
        .containsOnly(version());
    var python = version().replaceFirst("-rc\\.(\\d+)$", "rc$1").replace("-SNAPSHOT", ".dev0");
    assertThat(matches(read("clients/python/pyproject.toml"), "(?m)^version = \"([^\"]+)"))
        .containsExactly(python);
  }

  @Test
  void deploymentFilesAndPagesNameTheVersionOfTheBuild() throws IOException {
    for (var file :
        List.of(
            "deploy/docker/compose.yaml",
            "deploy/kubernetes/headgate.yaml",
            "docs/operations.md",
            "docs/clients.md",
            "docs/embedding.md",
            "docs/spring-boot.md")) {
      assertThat(
              matches(
                  read(file),
                  "(?:headgate[:-]|headgate-[a-z-]+:|headgate-[a-z-]+</artifactId>\\s*<version>)("
                      + VERSION
                      + ")"))
          .as(file)
          .isNotEmpty()
          .containsOnly(version());
    }
  }

  @Test
  void changelogHasASectionForTheVersion() throws IOException {
    var version = version();
    if (version.endsWith("-SNAPSHOT")) version = "Unreleased";
    assertThat(read("CHANGELOG.md"))
        .containsPattern("(?m)^## \\[?" + Pattern.quote(version) + "\\b");
  }

  private static String version() throws IOException {
    return matches(read("pom.xml"), "<version>([^<]+)").getFirst();
  }

  private static List<String> matches(String text, String pattern) {
    return Pattern.compile(pattern).matcher(text).results().map(found -> found.group(1)).toList();
  }

  private static String read(String file) throws IOException {
    return Files.readString(Markdown.ROOT.resolve(file));
  }
}
