package io.headgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.Service;
import io.headgate.store.Ticker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compiles and runs the {@code java} blocks of the pages. A block is a whole class, or statements
 * that may begin with imports. An {@code output} block after it is its output; {@code rules.yaml}
 * is the last {@code yaml} block before it.
 */
class JavaExamplesTest {
  private static final String IMPORTS =
      """
      import io.headgate.*;
      import io.headgate.Decision.*;
      import io.headgate.limit.*;
      import io.headgate.redis.*;
      import io.headgate.rule.*;
      import io.headgate.rulefile.*;
      import io.headgate.store.*;
      import java.io.IOException;
      import java.nio.file.*;
      import java.time.*;
      import java.util.*;
      import java.util.concurrent.Executors;
      import java.util.concurrent.Future;
      import java.util.concurrent.TimeUnit;
      import java.util.concurrent.atomic.*;
      """;

  /** Pages whose examples are parts of programs that tests of other modules run. */
  private static final Set<String> PARTS_OF_PROGRAMS = Set.of("servlet.md", "spring-boot.md");

  private static final Pattern WHOLE_CLASS = Pattern.compile("(?m)^public class (\\w+)");

  /** A line of a library's log, which the test prints to the same stream. */
  private static final Pattern LOG_LINE =
      Pattern.compile("(?m)^\\d\\d:\\d\\d:\\d\\d\\.\\d{3} [A-Z]+ .*\\R?");

  @TempDir static Path serviceFolder;

  @TempDir Path folder;

  /** A block, with the file that it reads and the output that it prints. */
  record Example(Markdown.Block code, Optional<String> rules, Optional<ConsoleExample> output) {
    @Override
    public String toString() {
      return code.toString();
    }
  }

  static List<Example> examples() {
    var examples = new ArrayList<Example>();
    for (var page : Markdown.pages()) {
      if (PARTS_OF_PROGRAMS.contains(page.file().getFileName().toString())) continue;
      var rules = Optional.<String>empty();
      for (int i = 0; i < page.blocks().size(); i++) {
        var block = page.blocks().get(i);
        if (block.language().equals("yaml")) rules = Optional.of(block.text());
        if (!block.language().equals("java")) continue;
        var output =
            page.blocks().stream()
                .skip(i + 1)
                .limit(1)
                .filter(next -> next.language().equals("output"))
                .map(next -> new ConsoleExample(List.of(), next.text()))
                .findFirst();
        examples.add(new Example(block, rules, output));
      }
    }
    return examples;
  }

  private static final String SHOWN_SERVICE = "http://127.0.0.1:8080";

  private static @Nullable Service service;

  @AfterAll
  static void stop() {
    if (service != null) service.close();
  }

  /** Replaces the address of the service by that of a real one, which is started on first use. */
  private static String withService(String example, Path folder) throws Exception {
    if (!example.contains(SHOWN_SERVICE)) return example;
    if (service == null) service = LocalService.start(folder, Ticker.system());
    return example.replace(SHOWN_SERVICE, "http://127.0.0.1:" + service.port());
  }

  @ParameterizedTest
  @MethodSource("examples")
  void exampleCompilesAndPrintsTheOutputOnThePage(Example example) throws Exception {
    try (var redis = new ShownRedis()) {
      String printed = run(withService(redis.in(withFiles(example)), serviceFolder));
      if (example.output.isEmpty()) return;
      String own = LOG_LINE.matcher(printed).replaceAll("").strip();
      assertThat(own).matches(example.output.get().expected());
    }
  }

  private String withFiles(Example example) throws IOException {
    var file = folder.resolve("rules.yaml");
    if (example.rules.isPresent()) Files.writeString(file, example.rules.get());
    return example.code.text().replace("Path.of(\"rules.yaml\")", "Path.of(\"" + file + "\")");
  }

  private String run(String example) throws Exception {
    var whole = WHOLE_CLASS.matcher(example);
    boolean isWhole = whole.find();
    String name = isWhole ? whole.group(1) : "Example";
    var errors = new StringWriter();
    var task =
        ToolProvider.getSystemJavaCompiler()
            .getTask(
                errors,
                null,
                null,
                List.of(
                    "-proc:none",
                    "-d",
                    folder.toString(),
                    "-classpath",
                    System.getProperty("java.class.path")),
                null,
                List.of(source(name, isWhole ? example : inMain(example))));
    assertThat(task.call()).as("%s", errors).isTrue();
    try (var loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      var main = loader.loadClass(name).getMethod("main", String[].class);
      return printed(() -> main.invoke(null, (Object) new String[0]));
    }
  }

  @Test
  void pagesHaveExamples() {
    assertThat(examples()).hasSizeGreaterThanOrEqualTo(10);
  }

  private interface Run {
    void run() throws Exception;
  }

  private static String printed(Run run) throws Exception {
    var before = System.out;
    var bytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      run.run();
    } finally {
      System.setOut(before);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static String inMain(String example) {
    return IMPORTS
        + lines(example, true)
        + "public class Example { public static void main(String[] args) throws Exception {\n"
        + lines(example, false)
        + "\n}}";
  }

  private static JavaFileObject source(String name, String text) {
    return new SimpleJavaFileObject(
        URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return text;
      }
    };
  }

  private static String lines(String example, boolean imports) {
    return example
        .lines()
        .filter(line -> line.startsWith("import ") == imports)
        .collect(Collectors.joining("\n", "", "\n"));
  }
}
