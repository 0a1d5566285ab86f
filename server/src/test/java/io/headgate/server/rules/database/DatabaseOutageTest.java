package io.headgate.server.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.ExpectedRevision;
import io.headgate.server.rules.RuleRepositoryException;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stops and restarts a real database. */
class DatabaseOutageTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final ChangeInfo ALICE = new ChangeInfo("alice", "");

  private static PostgresServer postgres;

  @TempDir Path folder;
  private String address;

  @BeforeAll
  static void start() {
    postgres = PostgresServer.start();
  }

  @AfterAll
  static void stop() {
    postgres.close();
  }

  @BeforeEach
  void newDatabase() {
    address = postgres.newDatabase();
  }

  private DatabaseRuleRepository open(String snapshotFile) {
    return open(address, snapshotFile);
  }

  private DatabaseRuleRepository open(String address, String snapshotFile) {
    var settings =
        new DatabaseRuleRepository.Settings(
            DatabaseAddress.parse(address, folder),
            folder.resolve(snapshotFile),
            Duration.ofMillis(50),
            Optional.empty(),
            InstantSource.system());
    return DatabaseRuleRepository.open(settings, new Seed(RuleSet.of(rule(3)), ALICE));
  }

  private static Rule rule(long limit) {
    return Rule.named("r")
        .match("key", "*")
        .limit(FixedWindow.of(Rate.of(limit, Duration.ofDays(1))))
        .build();
  }

  private static void replaceWith(DatabaseRuleRepository repository, long limit) {
    repository.change(ExpectedRevision.any(), ALICE, old -> List.of(rule(limit)));
  }

  @Test
  void enforcementContinuesDuringAnOutageAndPollingResumes() {
    try (var repository = open("a.json");
        var limiter = RateLimiter.inMemory(repository.inForce().rules())) {
      repository.follow(snapshot -> limiter.replaceRules(snapshot.rules()));
      replaceWith(repository, 5);
      postgres.stop();
      try {
        Eventually.holds(
            "the outage is reported", TIMEOUT, () -> repository.condition().problem().isPresent());
        assertThat(repository.condition().problem().orElseThrow())
            .contains("is unavailable", "the current rules stay in force")
            .doesNotContain("s3cret");
        assertThat(limiter.check(Subject.of("k"), 5).isAllowed()).isTrue();
        assertThatThrownBy(() -> replaceWith(repository, 7))
            .isInstanceOf(RuleRepositoryException.Unavailable.class)
            .hasMessageContaining("nothing was changed; retry when it is available again");
        assertThatThrownBy(() -> repository.history(9, 9))
            .isInstanceOf(RuleRepositoryException.Unavailable.class);
        assertThatThrownBy(() -> repository.at(1))
            .isInstanceOf(RuleRepositoryException.Unavailable.class);
        assertThat(repository.inForce().number()).isEqualTo(2);
      } finally {
        postgres.restart();
      }
      Eventually.holds(
          "the database is available again",
          TIMEOUT,
          () -> repository.condition().problem().isEmpty());
      try (var other = open("b.json")) {
        replaceWith(other, 9);
      }
      Eventually.holds("polling resumes", TIMEOUT, () -> repository.inForce().number() == 3);
    }
  }

  @Test
  void restartDuringAnOutageUsesTheSnapshotFile() {
    try (var repository = open("a.json")) {
      replaceWith(repository, 5);
    }
    postgres.stop();
    DatabaseRuleRepository repository;
    try {
      repository = open("a.json");
      assertThat(repository.inForce().number()).isEqualTo(2);
      assertThat(repository.inForce().rules().rules()).containsExactly(rule(5));
      assertThat(repository.inForce().revision().changeInfo()).isEqualTo(ALICE);
      assertThat(repository.condition().problem()).isPresent();
    } finally {
      postgres.restart();
    }
    try (repository) {
      Eventually.holds(
          "the database is available again",
          TIMEOUT,
          () -> repository.condition().problem().isEmpty());
      replaceWith(repository, 6);
      assertThat(repository.inForce().number()).isEqualTo(3);
      assertThat(repository.history(Long.MAX_VALUE, 9)).hasSize(3);
    }
  }

  @Test
  void startFailsWithoutDatabaseAndSnapshotFile() {
    var unused = "postgresql://u:s3cret@127.0.0.1:%d/x".formatted(FreePorts.find(1).getFirst());
    assertThatThrownBy(() -> open(unused, "none.json"))
        .isInstanceOf(RuleRepositoryException.Unavailable.class)
        .hasMessageContaining("there is no snapshot of its rules in " + folder.resolve("none.json"))
        .hasMessageContaining("start the database, or correct --database")
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("s3cret"));
  }

  @Test
  void truncatedSnapshotFileIsRejected() throws IOException {
    try (var repository = open("a.json")) {
      replaceWith(repository, 5);
    }
    var snapshotFile = folder.resolve("a.json");
    var text = Files.readString(snapshotFile);
    Files.writeString(snapshotFile, text.substring(0, text.length() - 4));
    var unused = "postgresql://u:p@127.0.0.1:%d/x".formatted(FreePorts.find(1).getFirst());
    assertThatThrownBy(() -> open(unused, "a.json"))
        .isInstanceOf(RuleRepositoryException.Unavailable.class)
        .hasMessageContaining("is invalid");
  }

  @Test
  void rulesOfAnotherDatabaseReplaceTheSnapshotFile() {
    try (var repository = open("a.json")) {
      for (int i = 10; i < 15; i++) replaceWith(repository, i);
    }
    try (var repository = open(postgres.newDatabase(), "a.json")) {
      assertThat(repository.inForce().number()).isEqualTo(1);
      assertThat(repository.inForce().rules().rules()).containsExactly(rule(3));
    }
  }
}
