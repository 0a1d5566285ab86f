package io.headgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks the coordinates of the artifacts in {@code docs/embedding.md}. */
class CoordinatesTest {
  private static final Pattern ARTIFACT =
      Pattern.compile(
          "headgate-(core|rulefile|redis|client|grpc|bom)(?:</artifactId>\\s*<version>|:)([\\w.-]+)");

  private static final Pattern ARTIFACT_OF_BOM =
      Pattern.compile(
          "headgate-([\\w-]+)</artifactId>\\s*<version>\\$\\{project.version}</version>");

  @Test
  void artifactsOnThePageHaveTheVersionOfTheBuild() throws IOException {
    var page = Files.readString(Markdown.ROOT.resolve("docs/embedding.md"));
    var version = version();
    var found = ARTIFACT.matcher(page).results().toList();
    assertThat(found).hasSize(5);
    assertThat(found).extracting(artifact -> artifact.group(2)).containsOnly(version);
  }

  @Test
  void installCommandNamesTheModulesOfTheArtifacts() throws IOException {
    var page = Files.readString(Markdown.ROOT.resolve("docs/embedding.md"));
    var modules = Pattern.compile("-pl (\\S+) -am install").matcher(page);
    assertThat(modules.find()).isTrue();
    assertThat(List.of(modules.group(1).split(",", -1)))
        .containsAll(ARTIFACT.matcher(page).results().map(artifact -> artifact.group(1)).toList());
  }

  @Test
  void bomHasTheVersionOfTheBuildAndTheModulesOfTheInstallCommand() throws IOException {
    var bom = Files.readString(Markdown.ROOT.resolve("bom/pom.xml"));
    assertThat(bom).contains("<artifactId>headgate-bom</artifactId>\n  <version>" + version());
    assertThat(ARTIFACT_OF_BOM.matcher(bom).results().map(found -> found.group(1)))
        .containsExactly(
            "core",
            "rulefile",
            "redis",
            "client",
            "grpc",
            "kotlin",
            "cluster",
            "http",
            "servlet",
            "spring-boot-autoconfigure",
            "spring-boot-starter");
    var clients = Files.readString(Markdown.ROOT.resolve("docs/clients.md"));
    assertThat(ARTIFACT.matcher(clients).results().map(found -> found.group(2)))
        .containsExactly(version());
  }

  private static String version() throws IOException {
    var pom = Files.readString(Markdown.ROOT.resolve("pom.xml"));
    return Pattern.compile("<version>([^<]+)</version>")
        .matcher(pom)
        .results()
        .map((MatchResult found) -> found.group(1))
        .findFirst()
        .orElseThrow();
  }
}
