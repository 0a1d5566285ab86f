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
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of a file that seeds a repository, and of a file that is the repository. */
class SeedFileTest {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(10);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final ChangeInfo ALICE = new ChangeInfo("alice", "");

  @TempDir Path folder;

  private final AtomicInteger versions = new AtomicInteger();

  private static String text(String id) {
    return "- { id: %s, match: { key: \"*\" }, limit: { algorithm: fixed-window, rate: 9/1h } }\n"
        .formatted(id);
  }

  /** Replaces the file atomically. */
  private Path write(String text) throws IOException {
    var next = folder.resolve("next" + versions.incrementAndGet());
    Files.writeString(next, text);
    return Files.move(next, folder.resolve("rules.yaml"), StandardCopyOption.REPLACE_EXISTING);
  }

  private static InMemoryRuleRepository examples() {
    return new InMemoryRuleRepository(
        InstantSource.system(), ExampleRules.rules(), SeedFile.EXAMPLES);
  }

  private static List<String> ids(RuleRepository repository) {
    return repository.inForce().rules().rules().stream().map(Rule::id).toList();
  }

  private static void awaitIds(RuleRepository repository, String... ids) {
    Eventually.holds(
        "the rules are " + List.of(ids), TIMEOUT, () -> ids(repository).equals(List.of(ids)));
  }

  private static RuleSnapshot replaceWith(RuleRepository repository, String id) {
    return repository.change(
        ExpectedRevision.any(), ALICE, old -> RuleSet.of(RuleFile.read(text(id))).rules());
  }

  @Test
  void fileReplacesTheExamplesAndItsOwnEarlierVersions() throws IOException {
    var repository = examples();
    try (var file = RulesFile.open(write(text("a")))) {
      SeedFile.follow(repository, file, POLL_INTERVAL);
      assertThat(ids(repository)).containsExactly("a");
      assertThat(repository.inForce().revision().changeInfo().author())
          .isEqualTo("file rules.yaml");
      write(text("b"));
      awaitIds(repository, "b");
      assertThat(repository.history(Long.MAX_VALUE, 9)).hasSize(3);
    }
  }

  @Test
  void fileIsIgnoredAfterAChangeByAUser() throws IOException {
    var repository = examples();
    try (var file = RulesFile.open(write(text("a")))) {
      SeedFile.follow(repository, file, POLL_INTERVAL);
      replaceWith(repository, "theirs");
      write(text("b"));
      write("- { id: bad }");
      Eventually.holds("it was read", TIMEOUT, () -> file.problem().isPresent());
      assertThat(ids(repository)).containsExactly("theirs");
    }
    try (var file = RulesFile.open(write(text("b")))) {
      SeedFile.follow(repository, file, POLL_INTERVAL);
      assertThat(ids(repository)).containsExactly("theirs");
      assertThat(SeedFile.changedElsewhere(repository.inForce()))
          .hasValue(repository.inForce().revision());
      assertThat(SeedFile.ignored(file, repository.inForce()).orElseThrow())
          .contains("rules.yaml is ignored, since revision 3 by alice changed the rules")
          .contains("headgate rules apply", "--rules-mode file");
      replaceWith(repository, "b"); // the same rules as in the file
      assertThat(SeedFile.ignored(file, repository.inForce())).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"headgate", "file rules.yaml", "file x"})
  void userNamedLikeAFileStillTakesPrecedence(String author) throws IOException {
    var repository = examples();
    try (var file = RulesFile.open(write(text("a")))) {
      SeedFile.follow(repository, file, POLL_INTERVAL);
      assertThat(SeedFile.changedElsewhere(repository.inForce())).isEmpty();
      var theirs = RuleSet.of(RuleFile.read(text("theirs"))).rules();
      repository.change(ExpectedRevision.any(), new ChangeInfo(author, ""), old -> theirs);
    }
    try (var file = RulesFile.open(write(text("b")))) {
      SeedFile.follow(repository, file, POLL_INTERVAL);
      assertThat(ids(repository)).containsExactly("theirs");
      assertThat(SeedFile.changedElsewhere(repository.inForce())).isPresent();
    }
  }

  @Test
  void severalInstancesWithTheSameFileCreateOneRevision() throws IOException {
    var repository = examples();
    try (var one = RulesFile.open(write(text("a")));
        var two = RulesFile.open(folder.resolve("rules.yaml"))) {
      SeedFile.follow(repository, one, POLL_INTERVAL);
      SeedFile.follow(repository, two, POLL_INTERVAL);
      write(text("b"));
      awaitIds(repository, "b");
      // An instance that has yet to read b would offer it after the other one has offered c.
      for (var file : List.of(one, two)) {
        Eventually.holds(
            "b is read", TIMEOUT, () -> file.latestRules().rules().getFirst().id().equals("b"));
      }
      write(text("c"));
      awaitIds(repository, "c");
    }
    assertThat(repository.history(Long.MAX_VALUE, 9)).hasSize(4);
  }

  @Test
  void fileModeIsReadOnly() throws IOException {
    try (var repository =
        FileRuleRepository.follow(
            RulesFile.open(write(text("a"))), InstantSource.system(), POLL_INTERVAL)) {
      assertThat(repository.condition().readOnly().orElseThrow())
          .contains("rules.yaml", "edit that file");
      assertThatThrownBy(() -> replaceWith(repository, "theirs"))
          .isInstanceOf(RuleRepositoryException.ReadOnly.class)
          .hasMessageContaining("rules.yaml");
      assertThatThrownBy(() -> repository.restore(1, ExpectedRevision.any(), ALICE))
          .isInstanceOf(RuleRepositoryException.ReadOnly.class);
      write(text("b"));
      awaitIds(repository, "b");
      assertThat(repository.inForce().number()).isEqualTo(2);
      write("- { id: bad }");
      Eventually.holds(
          "the problem is reported", TIMEOUT, () -> repository.condition().problem().isPresent());
      assertThat(ids(repository)).containsExactly("b");
      write(text("c"));
      awaitIds(repository, "c");
      Eventually.holds(
          "the problem is resolved", TIMEOUT, () -> repository.condition().problem().isEmpty());
    }
  }
}
