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
import java.util.stream.Collectors;
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
  @ValueSource(strings = {"core", "rulefile", "redis", "http", "client", "grpc"})
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
                Files.exists(sources.resolve("module-info.java"))
                    ? "--module-path"
                    : "--class-path",
                dependencies(module),
                "--snippet-path",
                Markdown.ROOT.resolve(module).resolve("src/test/java").toString()));
    try (var files = Files.walk(sources)) {
      files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
    }
    return arguments;
  }

  /** Returns the part of this test's class path that the module needs. */
  private static String dependencies(String module) {
    var library =
        Pattern.compile(
            "/(jspecify|snakeyaml-engine|lettuce-core|reactor-core|reactive-streams|jackson-core"
                + "|grpc-(api|protobuf)|protobuf-java|proto-google-common-protos"
                + "|netty-(common|buffer|transport|handler|resolver|codec-base))-\\d");
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry ->
            library.matcher(entry).find()
                || (!module.equals("core") && isModule(entry, "core"))
                || (module.equals("http") && isModule(entry, "rulefile"))
                || (module.equals("grpc") && isModule(entry, "client")))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static boolean isModule(String entry, String module) {
    return entry.contains("headgate-" + module)
        || entry.startsWith(Markdown.ROOT.resolve(module) + File.separator);
  }
}
