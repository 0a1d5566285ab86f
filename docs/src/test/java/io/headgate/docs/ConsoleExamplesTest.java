package io.headgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the {@code console} blocks of each page, in order, against a service of its own. {@link
 * CookbookTest} runs those of the cookbook.
 */
class ConsoleExamplesTest {
  @TempDir Path folder;

  static List<Markdown> pages() {
    return Markdown.pages().stream()
        .filter(page -> page.blocks().stream().anyMatch(ConsoleExample::isConsole))
        .filter(page -> !page.file().equals(CookbookTest.PAGE))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyCommandPrintsTheOutputOnThePage(Markdown page) throws Exception {
    try (var console = new Console(folder)) {
      for (var block : page.blocks()) {
        if (!ConsoleExample.isConsole(block)) continue;
        for (var example : ConsoleExample.of(block)) {
          String printed = console.run(example.command(), example.expected()).strip();
          assertThat(printed).as("%s: %s", block, example.command()).matches(example.expected());
        }
      }
    }
  }

  @Test
  void readmeHasCommands() {
    assertThat(pages()).anyMatch(page -> page.file().endsWith("README.md"));
  }
}
