package io.headgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the {@code javadoc} tool on the exported packages of the libraries. */
class JavadocTest {
  /**
   * The warnings that are accepted. A first sentence that begins with "Returns" makes a return tag
   * redundant, and a parameter whose name says everything needs no tag.
   */
  private static final Pattern ACCEPTED =
      Pattern.compile("warning: (no @(param|return|throws)\\b|use of default constructor)");

  @TempDir Path pages;

  @ParameterizedTest
  @ValueSource(strings = {"core", "rulefile", "redis"})
  void everyExportedTypeAndMemberHasAValidComment(String module) throws IOException {
    assertThat(warnings(module)).isEmpty();
  }

  private List<String> warnings(String module) throws IOException {
    var out = new StringWriter();
    var printer = new PrintWriter(out);
    ToolProvider.findFirst("javadoc")
        .orElseThrow()
        .run(printer, printer, arguments(module).toArray(String[]::new));
    printer.flush();
    assertThat(pages.resolve("index.html")).as("%s", out).exists();
    return out.toString()
        .lines()
        .filter(line -> line.contains(": warning: ") || line.contains("error: "))
        .filter(line -> !ACCEPTED.matcher(line).find())
        .toList();
  }

  private List<String> arguments(String module) throws IOException {
    var sources = Markdown.ROOT.resolve(module).resolve("src/main/java");
    var arguments =
        new ArrayList<>(
            List.of(
                "-quiet",
                "-notimestamp",
                "-Xdoclint:all",
                "-Xmaxwarns",
                "10000",
                "-d",
                pages.toString(),
                "--module-path",
                modulePath(module),
                "--snippet-path",
                Markdown.ROOT.resolve(module).resolve("src/test/java").toString()));
    try (var files = Files.walk(sources)) {
      files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
    }
    return arguments;
  }

  /** Returns the class path of this test without the module itself. */
  private static String modulePath(String module) {
    var own = Markdown.ROOT.resolve(module).resolve("target").toString();
    return String.join(
        File.pathSeparator,
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !entry.startsWith(own))
            .filter(entry -> !entry.contains("headgate-server") && !entry.contains("headgate-docs"))
            .toList());
  }
}
