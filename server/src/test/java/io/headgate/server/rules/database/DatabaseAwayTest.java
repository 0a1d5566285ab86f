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
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The database is stopped and started again, for real. */
class DatabaseAwayTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
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

  private DatabaseRuleRepository open(String copy) {
    return open(address, copy);
  }

  private DatabaseRuleRepository open(String address, String copy) {
    var terms =
        new DatabaseRuleRepository.Terms(
            DatabaseAddress.parse(address, folder),
            folder.resolve(copy),
            Duration.ofMillis(50),
            Optional.empty(),
            InstantSource.system());
    return DatabaseRuleRepository.open(terms, new Seed(RuleSet.of(rule(3)), ALICE));
  }

  private static Rule rule(long limit) {
    return Rule.named("r")
        .match("key", "*")
        .limit(FixedWindow.of(Rate.of(limit, Duration.ofDays(1))))
        .build();
  }

  private static void become(DatabaseRuleRepository book, long limit) {
    book.change(OptionalLong.empty(), ALICE, old -> List.of(rule(limit)));
  }

  @Test
  void enforcementGoesOnAndFollowsTheDatabaseAgainWhenItIsBack() {
    try (var book = open("a.json");
        var limiter = RateLimiter.inMemory(book.inForce().rules())) {
      book.follow(edition -> limiter.replaceRules(edition.rules()));
      become(book, 5);
      postgres.stop();
      try {
        Eventually.holds("it is noticed", PATIENCE, () -> book.condition().problem().isPresent());
        assertThat(book.condition().problem().orElseThrow())
            .contains("can't be asked", "the rules in force stay so")
            .doesNotContain("s3cret");
        assertThat(limiter.check(Subject.of("k"), 5).isAllowed()).isTrue();
        assertThatThrownBy(() -> become(book, 7))
            .isInstanceOf(RuleRepositoryException.Away.class)
            .hasMessageContaining("nothing was changed; try again when it is back");
        assertThatThrownBy(() -> book.history(9, 9))
            .isInstanceOf(RuleRepositoryException.Away.class);
        assertThatThrownBy(() -> book.at(1)).isInstanceOf(RuleRepositoryException.Away.class);
        assertThat(book.inForce().number()).isEqualTo(2);
      } finally {
        postgres.restart();
      }
      Eventually.holds("it is back", PATIENCE, () -> book.condition().problem().isEmpty());
      try (var other = open("b.json")) {
        become(other, 9);
      }
      Eventually.holds("it follows", PATIENCE, () -> book.inForce().number() == 3);
    }
  }

  @Test
  void aRestartDuringAnOutageTakesTheCopy() {
    try (var book = open("a.json")) {
      become(book, 5);
    }
    postgres.stop();
    DatabaseRuleRepository book;
    try {
      book = open("a.json");
      assertThat(book.inForce().number()).isEqualTo(2);
      assertThat(book.inForce().rules().rules()).containsExactly(rule(5));
      assertThat(book.inForce().revision().signature()).isEqualTo(ALICE);
      assertThat(book.condition().problem()).isPresent();
    } finally {
      postgres.restart();
    }
    try (book) {
      Eventually.holds("it is back", PATIENCE, () -> book.condition().problem().isEmpty());
      become(book, 6);
      assertThat(book.inForce().number()).isEqualTo(3);
      assertThat(book.history(Long.MAX_VALUE, 9)).hasSize(3);
    }
  }

  @Test
  void withNeitherADatabaseNorACopyItDoesNotStart() {
    var nobody = "postgresql://u:s3cret@127.0.0.1:%d/x".formatted(FreePorts.find(1).getFirst());
    assertThatThrownBy(() -> open(nobody, "none.json"))
        .isInstanceOf(RuleRepositoryException.Away.class)
        .hasMessageContaining("there is no copy of its rules in " + folder.resolve("none.json"))
        .hasMessageContaining("start the database, or correct --database")
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("s3cret"));
  }

  @Test
  void aCopyThatWasCutOffIsNotTaken() throws IOException {
    try (var book = open("a.json")) {
      become(book, 5);
    }
    var copy = folder.resolve("a.json");
    var text = Files.readString(copy);
    Files.writeString(copy, text.substring(0, text.length() - 4));
    var nobody = "postgresql://u:p@127.0.0.1:%d/x".formatted(FreePorts.find(1).getFirst());
    assertThatThrownBy(() -> open(nobody, "a.json"))
        .isInstanceOf(RuleRepositoryException.Away.class)
        .hasMessageContaining("can't be used");
  }

  @Test
  void aDatabaseThatIsSaidToBeAnotherOneWinsOverTheCopy() {
    try (var book = open("a.json")) {
      for (int i = 10; i < 15; i++) become(book, i);
    }
    try (var book = open(postgres.newDatabase(), "a.json")) {
      assertThat(book.inForce().number()).isEqualTo(1);
      assertThat(book.inForce().rules().rules()).containsExactly(rule(3));
    }
  }
}
