package io.headgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the {@code console} blocks of each page, in order, against a service of its own. A line that
 * begins with {@code $} is a command, the lines below it are its output; {@code …} stands for text
 * that varies.
 */
class ConsoleExamplesTest {
  @TempDir Path folder;

  static List<Markdown> pages() {
    return Markdown.pages().stream()
        .filter(page -> page.blocks().stream().anyMatch(ConsoleExamplesTest::isConsole))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyCommandPrintsTheOutputOnThePage(Markdown page) throws Exception {
    try (var console = new Console(folder)) {
      for (var block : page.blocks()) {
        if (!isConsole(block)) continue;
        for (var example : examples(block)) {
          var expected = Pattern.compile(example.expected, Pattern.DOTALL);
          String printed = console.run(example.command, expected).strip();
          assertThat(printed).as("%s: %s", block, example.command).matches(expected);
        }
      }
    }
  }

  @Test
  void readmeHasCommands() {
    assertThat(pages()).anyMatch(page -> page.file().endsWith("README.md"));
  }

  private record Example(String command, String expected) {}

  private static boolean isConsole(Markdown.Block block) {
    return block.language().equals("console");
  }

  private static List<Example> examples(Markdown.Block block) {
    var examples = new ArrayList<Example>();
    var lines = block.text().lines().toList();
    for (int i = 0; i < lines.size(); ) {
      assertThat(lines.get(i)).as("%s", block).startsWith("$ ");
      var command = new StringBuilder(lines.get(i++).substring(2));
      while (command.toString().endsWith("\\")) {
        command.setLength(command.length() - 1);
        command.append(lines.get(i++).strip());
      }
      var output = new ArrayList<String>();
      while (i < lines.size() && !lines.get(i).startsWith("$ ")) output.add(lines.get(i++));
      examples.add(new Example(command.toString(), pattern(output)));
    }
    return examples;
  }

  private static String pattern(List<String> output) {
    return String.join("\n", output)
        .strip()
        .lines()
        .map(line ->
            List.of(line.split("…", -1)).stream()
                .map(Pattern::quote)
                .collect(Collectors.joining(".*")))
        .collect(Collectors.joining("\n"));
  }
}
