package io.headgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.Service;
import io.headgate.testkit.ManualTicker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Applies the rules of each recipe to one service and compares the output of its commands with the
 * page. The clock of the service stands still, and {@code sleep} moves it. With {@code
 * -Dheadgate.docs.record=true} outputs that differ are written to the page instead.
 */
class CookbookTest {
  static final Path PAGE = Markdown.ROOT.resolve("docs/cookbook.md");

  /** A Tuesday, 13:00 in Berlin. */
  private static final Instant START = Instant.parse("2026-03-10T12:00:00Z");

  private static final Pattern SLEEP = Pattern.compile("sleep (\\d+)");
  private static final boolean RECORD = Boolean.getBoolean("headgate.docs.record");

  @TempDir static Path folder;

  private static final ManualTicker CLOCK = ManualTicker.at(START);
  private static final List<Recorded> RECORDED = new ArrayList<>();
  private static Service service;
  private static CommandShell shell;

  /** The new text of a block. */
  private record Recorded(Markdown.Block block, List<String> lines) {}

  @BeforeAll
  static void start() throws Exception {
    service = LocalService.start(folder, CLOCK);
    shell = new CommandShell(folder);
  }

  @AfterAll
  static void stop() throws IOException {
    service.close();
    shell.close();
    var lines = new ArrayList<>(Files.readAllLines(PAGE));
    for (var recorded : RECORDED.reversed()) {
      int start = recorded.block.line();
      int size = (int) recorded.block.text().lines().count();
      lines.subList(start, start + size).clear();
      lines.addAll(start, recorded.lines);
    }
    if (!RECORDED.isEmpty()) Files.write(PAGE, lines);
  }

  static List<Recipe> recipes() {
    return Recipe.of(PAGE);
  }

  @ParameterizedTest
  @MethodSource("recipes")
  void commandsPrintTheOutputOnThePage(Recipe recipe) throws Exception {
    CLOCK.set(ChronoUnit.MICROS.between(Instant.EPOCH, START));
    Files.writeString(folder.resolve("rules.yaml"), recipe.rules().text());
    assertThat(run("./headgate rules apply rules.yaml")).contains("is in force");
    var lines = new ArrayList<String>();
    for (var example : ConsoleExample.of(recipe.commands())) {
      String printed = run(example.command());
      boolean matches = example.expected().matcher(printed).matches();
      lines.addAll(example.lines());
      lines.addAll((matches ? example.output() : printed).lines().toList());
      if (!RECORD) {
        assertThat(printed)
            .as("%s: %s", recipe.commands(), example.command())
            .matches(example.expected());
      }
    }
    if (RECORD) RECORDED.add(new Recorded(recipe.commands(), lines));
  }

  private static String run(String command) throws Exception {
    var sleep = SLEEP.matcher(command);
    if (!sleep.matches()) return shell.run(command, folder, service.port()).strip();
    CLOCK.advance(Duration.ofSeconds(Long.parseLong(sleep.group(1))));
    return "";
  }

  @Test
  void pageHasThirtyTasksAndAsManyInItsIntroduction() throws IOException {
    int tasks = recipes().size();
    assertThat(tasks).isGreaterThanOrEqualTo(30);
    assertThat(Files.readString(PAGE)).contains(tasks + " tasks");
  }

  /** A counter keeps its state as long as its rule keeps its id. */
  @Test
  void recipesDoNotShareCounters() {
    var ids =
        recipes().stream()
            .flatMap(recipe -> RuleFile.read(recipe.rules().text()).stream())
            .map(Rule::id);
    assertThat(ids).doesNotHaveDuplicates();
  }
}
