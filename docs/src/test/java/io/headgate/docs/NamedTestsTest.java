package io.headgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks the names of tests in {@code docs/security.md}. */
class NamedTestsTest {
  private static final Path PAGE = Markdown.ROOT.resolve("docs/security.md");
  private static final Pattern NAMED =
      Pattern.compile("`([A-Z][A-Za-z0-9]*(?:Test|IT|Properties))\\.([a-z][A-Za-z0-9]*)`");

  @Test
  void everyNamedTestExists() throws IOException {
    var sources = sources();
    var named = NAMED.matcher(Files.readString(PAGE));
    var missing = new TreeSet<String>();
    int count = 0;
    while (named.find()) {
      count++;
      String source = sources.getOrDefault(named.group(1), "");
      if (!source.contains("void " + named.group(2) + "(")) missing.add(named.group());
    }
    assertThat(missing).isEmpty();
    assertThat(count).isGreaterThan(40);
  }

  @Test
  void everyThreatHasATest() throws IOException {
    var rows =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.startsWith("|"))
            .filter(line -> !line.startsWith("|---") && !line.startsWith("| threat"))
            .toList();
    assertThat(rows).isNotEmpty().allMatch(row -> NAMED.matcher(row).find());
  }

  private static Map<String, String> sources() throws IOException {
    var sources = new HashMap<String, String>();
    for (var module :
        List.of(
            "core",
            "testkit",
            "redis",
            "cluster",
            "rulefile",
            "http",
            "server",
            "servlet",
            "spring-boot-autoconfigure",
            "client",
            "grpc",
            "system-tests",
            "docs")) {
      try (var files = Files.walk(Markdown.ROOT.resolve(module).resolve("src/test"))) {
        for (var file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          String name = file.getFileName().toString().replace(".java", "");
          sources.put(name, Files.readString(file));
        }
      }
    }
    return sources;
  }
}
