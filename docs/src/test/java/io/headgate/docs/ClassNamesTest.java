package io.headgate.docs;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks the names of classes across modules that do not depend on each other. */
class ClassNamesTest {
  private static final List<String> MODULES =
      List.of(
          "core",
          "rulefile",
          "redis",
          "cluster",
          "http",
          "server",
          "servlet",
          "spring-boot-autoconfigure",
          "client",
          "grpc",
          "examples/llm-gateway",
          "examples/spring-boot");

  @Test
  void simpleClassNamesAreUniqueAcrossModules() throws IOException {
    var files = MODULES.stream().flatMap(ClassNamesTest::sources).toList();
    assertThat(files).hasSizeGreaterThan(400);
    var byName = files.stream().collect(groupingBy(file -> file.getFileName().toString()));
    byName.remove("package-info.java");
    byName.remove("module-info.java");
    byName.values().removeIf(same -> same.size() == 1);
    assertThat(byName).isEmpty();
  }

  private static Stream<Path> sources(String module) {
    try (var files = Files.walk(Markdown.ROOT.resolve(module).resolve("src/main/java"))) {
      return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
