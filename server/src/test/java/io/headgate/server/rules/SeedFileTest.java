package io.headgate.server.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file that seeds a book, and one that is the book. */
class SeedFileTest {
  private static final Duration OFTEN = Duration.ofMillis(10);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final ChangeInfo ALICE = new ChangeInfo("alice", "");

  @TempDir Path folder;

  private final AtomicInteger versions = new AtomicInteger();

  private static String text(String id) {
    return "- { id: %s, match: { key: \"*\" }, limit: { algorithm: fixed-window, rate: 9/1h } }\n"
        .formatted(id);
  }

  /** As a whole: nobody sees half of it. */
  private Path write(String text) throws IOException {
    var next = folder.resolve("next" + versions.incrementAndGet());
    Files.writeString(next, text);
    return Files.move(next, folder.resolve("rules.yaml"), StandardCopyOption.REPLACE_EXISTING);
  }

  private static InMemoryRuleRepository examples() {
    return new InMemoryRuleRepository(
        InstantSource.system(), ExampleRules.rules(), SeedFile.EXAMPLES);
  }

  private static List<String> ids(RuleRepository book) {
    return book.inForce().rules().rules().stream().map(Rule::id).toList();
  }

  private static void awaitIds(RuleRepository book, String... ids) {
    Eventually.holds(
        "the rules are " + List.of(ids), PATIENCE, () -> ids(book).equals(List.of(ids)));
  }

  private static RuleSnapshot become(RuleRepository book, String id) {
    return book.change(
        OptionalLong.empty(), ALICE, old -> RuleSet.of(RuleFile.read(text(id))).rules());
  }

  @Test
  void theExamplesGiveWayToAFileAndTheFileToItsNextVersion() throws IOException {
    var book = examples();
    try (var file = RulesFile.open(write(text("a")))) {
      SeedFile.follow(book, file, OFTEN);
      assertThat(ids(book)).containsExactly("a");
      assertThat(book.inForce().revision().signature().author()).isEqualTo("file rules.yaml");
      write(text("b"));
      awaitIds(book, "b");
      assertThat(book.history(Long.MAX_VALUE, 9)).hasSize(3);
    }
  }

  @Test
  void onceSomebodyHasChangedTheRulesTheFileIsLeftAlone() throws IOException {
    var book = examples();
    try (var file = RulesFile.open(write(text("a")))) {
      SeedFile.follow(book, file, OFTEN);
      become(book, "theirs");
      write(text("b"));
      write("- { id: bad }");
      Eventually.holds("it was read", PATIENCE, () -> file.problem().isPresent());
      assertThat(ids(book)).containsExactly("theirs");
    }
    try (var file = RulesFile.open(write(text("b")))) {
      SeedFile.follow(book, file, OFTEN);
      assertThat(ids(book)).containsExactly("theirs");
      assertThat(SeedFile.elsewhere(book.inForce())).hasValue(book.inForce().revision());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"headgate", "file rules.yaml", "file x"})
  void whoeverIsCalledAsAFileOrTheBeginningIsStopsTheFileAllTheSame(String author)
      throws IOException {
    var book = examples();
    try (var file = RulesFile.open(write(text("a")))) {
      SeedFile.follow(book, file, OFTEN);
      assertThat(SeedFile.elsewhere(book.inForce())).isEmpty();
      var theirs = RuleSet.of(RuleFile.read(text("theirs"))).rules();
      book.change(OptionalLong.empty(), new ChangeInfo(author, ""), old -> theirs);
    }
    try (var file = RulesFile.open(write(text("b")))) {
      SeedFile.follow(book, file, OFTEN);
      assertThat(ids(book)).containsExactly("theirs");
      assertThat(SeedFile.elsewhere(book.inForce())).isPresent();
    }
  }

  @Test
  void severalInstancesWithTheSameFileMakeOneRevision() throws IOException {
    var book = examples();
    try (var one = RulesFile.open(write(text("a")));
        var two = RulesFile.open(folder.resolve("rules.yaml"))) {
      SeedFile.follow(book, one, OFTEN);
      SeedFile.follow(book, two, OFTEN);
      write(text("b"));
      awaitIds(book, "b");
      write(text("c"));
      awaitIds(book, "c");
    }
    assertThat(book.history(Long.MAX_VALUE, 9)).hasSize(4);
  }

  @Test
  void whereTheFileIsTheTruthNothingElseChangesTheRules() throws IOException {
    try (var book =
        FileRuleRepository.follow(
            RulesFile.open(write(text("a"))), InstantSource.system(), OFTEN)) {
      assertThat(book.condition().readOnly().orElseThrow())
          .contains("rules.yaml", "change them there");
      assertThatThrownBy(() -> become(book, "theirs"))
          .isInstanceOf(RuleRepositoryException.ReadOnly.class)
          .hasMessageContaining("rules.yaml");
      assertThatThrownBy(() -> book.restore(1, OptionalLong.empty(), ALICE))
          .isInstanceOf(RuleRepositoryException.ReadOnly.class);
      write(text("b"));
      awaitIds(book, "b");
      assertThat(book.inForce().number()).isEqualTo(2);
      write("- { id: bad }");
      Eventually.holds("that is said", PATIENCE, () -> book.condition().problem().isPresent());
      assertThat(ids(book)).containsExactly("b");
      write(text("c"));
      awaitIds(book, "c");
      Eventually.holds("all is well", PATIENCE, () -> book.condition().problem().isEmpty());
    }
  }
}
