package io.headgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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
      import java.nio.file.*;
      import java.time.*;
      import java.util.*;
      """;

  @TempDir Path classes;

  static List<Markdown.Block> examples() {
    return Markdown.blocks("java");
  }

  @ParameterizedTest
  @MethodSource("examples")
  void exampleCompilesAndRuns(Markdown.Block example) throws Exception {
    try (var redis = new ShownRedis()) {
      run(redis.in(example.text()));
    }
  }

  private void run(String example) throws Exception {
    var errors = new StringWriter();
    var task =
        ToolProvider.getSystemJavaCompiler()
            .getTask(
                errors,
                null,
                null,
                List.of(
                    "-d", classes.toString(), "-classpath", System.getProperty("java.class.path")),
                null,
                List.of(source(example)));
    assertThat(task.call()).as("%s", errors).isTrue();
    try (var loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      var main = loader.loadClass("Example").getMethod("main", String[].class);
      assertThat(printed(() -> main.invoke(null, (Object) new String[0]))).isNotNull();
    }
  }

  @Test
  void pagesHaveExamples() {
    assertThat(examples()).hasSizeGreaterThanOrEqualTo(2);
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

  private static JavaFileObject source(String example) {
    String imports = lines(example, true);
    String text =
        IMPORTS
            + imports
            + "public class Example { public static void main(String[] args) throws Exception {\n"
            + lines(example, false)
            + "\n}}";
    return new SimpleJavaFileObject(
        URI.create("string:///Example.java"), JavaFileObject.Kind.SOURCE) {
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
