package io.headgate.server.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.ExpectedRevision;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RuleRepositoryContract;
import io.headgate.server.rules.RuleRepositoryException;
import io.headgate.server.rules.RuleSnapshot;
import io.headgate.testkit.Eventually;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a repository in any database must pass. */
abstract class DatabaseRuleRepositoryContract extends RuleRepositoryContract {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  @TempDir Path folder;

  private DatabaseAddress address;

  /** Returns the address of a new database. */
  abstract DatabaseAddress database();

  @Override
  protected RuleRepository open(RuleSet rules, ChangeInfo changeInfo) {
    address = database();
    return reopen(new Seed(rules, changeInfo), "copy.json");
  }

  private DatabaseRuleRepository reopen(Seed seed, String snapshotFile) {
    var settings =
        new DatabaseRuleRepository.Settings(
            address, folder.resolve(snapshotFile), Duration.ofMillis(20), Optional.empty(), CLOCK);
    return DatabaseRuleRepository.open(settings, seed);
  }

  private DatabaseRuleRepository reopen() {
    return reopen(new Seed(RuleSet.of(rule("other", 1)), BOB), "other.json");
  }

  private List<String> rows(String query) {
    try (var connection =
            DriverManager.getConnection(address.jdbc(), address.user(), address.password());
        var rows = connection.createStatement().executeQuery(query)) {
      var found = new ArrayList<String>();
      while (rows.next()) {
        var row = new ArrayList<String>();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          row.add(String.valueOf(rows.getString(i)));
        }
        found.add(String.join(" ", row));
      }
      return found;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void reopenedRepositoryIsUnchanged() {
    repository.change(ANY, BOB, replaceWith(rule("b", 2), rule("a", 1)));
    var history = repository.history(Long.MAX_VALUE, 10);
    repository.close();
    repository = reopen();
    assertThat(repository.inForce().revision()).isEqualTo(history.getFirst());
    assertThat(rules(repository.inForce())).containsExactly(rule("b", 2), rule("a", 1));
    assertThat(repository.history(Long.MAX_VALUE, 10)).isEqualTo(history);
    assertThat(rules(repository.at(1))).containsExactly(rule("a", 1), rule("b", 1));
  }

  @Test
  void seedFlagIsStored() {
    repository.change(ANY, new ChangeInfo("file x", "", true), replaceWith(rule("a", 2)));
    repository.change(ANY, new ChangeInfo("file x", ""), replaceWith(rule("a", 3)));
    repository.close();
    repository = reopen();
    assertThat(repository.history(Long.MAX_VALUE, 10))
        .extracting(revision -> revision.changeInfo().isSeed())
        .containsExactly(false, true, false);
  }

  @Test
  void onlyChangedRulesAreStored() {
    var many = IntStream.range(0, 100).mapToObj(i -> rule("r" + i, 1)).toList();
    repository.change(ANY, BOB, old -> many);
    for (int i = 0; i < 10; i++) {
      var next = rule("r50", 2 + i);
      repository.change(
          ANY, BOB, old -> old.stream().map(r -> r.id().equals("r50") ? next : r).toList());
    }
    repository.change(ANY, BOB, old -> inserted(old, 0, rule("first", 1)));
    repository.change(ANY, BOB, old -> inserted(old, 50, rule("middle", 1)));
    repository.change(ANY, BOB, old -> inserted(old.subList(1, old.size()), 30, old.getFirst()));
    assertThat(rows("SELECT COUNT(*) FROM headgate_rules")).containsExactly("115");
    assertThat(rules(repository.latest()).get(30).id()).isEqualTo("first");
  }

  private static List<Rule> inserted(List<Rule> rules, int at, Rule rule) {
    var more = new ArrayList<>(rules);
    more.add(at, rule);
    return more;
  }

  @Test
  void auditRecordsAcceptedAndRefusedChanges() {
    repository.change(ANY, BOB, replaceWith(rule("c", 1)));
    repository.change(ANY, BOB, replaceWith(rule("c", 1)));
    assertThatThrownBy(() -> repository.change(ExpectedRevision.of(1), BOB, replaceWith()))
        .isInstanceOf(RuleRepositoryException.Stale.class);
    assertThatThrownBy(() -> repository.change(ANY, BOB, replaceWith(rule("c", 1), rule("c", 1))))
        .isInstanceOf(IllegalArgumentException.class);
    repository.restore(1, ANY, ALICE);
    assertThat(
            rows(
                "SELECT author, action, outcome, revision, detail FROM headgate_audit ORDER BY entry"))
        .containsExactly(
            "alice initialize the rules accepted 1 because",
            "bob change the rules accepted 2 ",
            "bob change the rules unchanged 2 ",
            "bob change the rules refused null the rules are at revision 2, but the change is based on revision 1; reload and retry",
            "bob change the rules refused null two rules have the id 'c'; ids must be unique",
            "alice restore revision 1 accepted 3 because");
  }

  @Test
  void concurrentChangesOfTwoInstancesAreAllStored() {
    try (var other = reopen()) {
      var one = changes(repository, "one");
      var two = changes(other, "two");
      CompletableFuture.allOf(one, two).join();
      Eventually.holds(
          "both enforce all of it",
          TIMEOUT,
          () -> repository.inForce().number() == 41 && other.inForce().number() == 41);
      assertThat(rules(repository.inForce())).hasSize(42).isEqualTo(rules(other.inForce()));
      var history = repository.history(Long.MAX_VALUE, 100);
      assertThat(history).hasSize(41).isEqualTo(other.history(Long.MAX_VALUE, 100));
      assertThat(history)
          .allSatisfy(
              revision -> assertThat(revision.rules()).isEqualTo((int) revision.number() + 1));
    }
  }

  private static CompletableFuture<Void> changes(RuleRepository repository, String name) {
    return CompletableFuture.runAsync(() -> {
      for (int i = 0; i < 20; i++) {
        var rule = rule(name + i, 1);
        repository.change(ANY, BOB, old -> inserted(old, old.size() / 2, rule));
      }
    });
  }

  @Test
  void secondChangeBasedOnTheSameRevisionIsRefused() {
    try (var other = reopen()) {
      repository.change(ExpectedRevision.of(1), ALICE, replaceWith(rule("x", 1)));
      assertThatThrownBy(() -> other.change(ExpectedRevision.of(1), BOB, replaceWith(rule("y", 1))))
          .isInstanceOf(RuleRepositoryException.Stale.class);
      var made = other.change(ExpectedRevision.of(2), BOB, old -> inserted(old, 1, rule("y", 1)));
      assertThat(rules(made)).containsExactly(rule("x", 1), rule("y", 1));
    }
  }

  @Test
  void concurrentStartsInitializeTheDatabaseOnce() {
    address = database();
    var starts =
        IntStream.range(0, 4)
            .mapToObj(i ->
                CompletableFuture.supplyAsync(
                    () -> reopen(new Seed(RuleSet.of(rule("seed" + i, 1)), ALICE), "copy" + i),
                    task -> new Thread(task).start()))
            .toList();
    var repositories = starts.stream().map(CompletableFuture::join).toList();
    try {
      var snapshots = repositories.stream().map(RuleRepository::inForce).toList();
      assertThat(snapshots.stream().map(RuleSnapshot::number)).containsOnly(1L);
      assertThat(snapshots.stream().map(snapshot -> rules(snapshot)).distinct()).hasSize(1);
    } finally {
      repositories.forEach(RuleRepository::close);
    }
  }

  /** Opens a repository in the database at an address, with one seeded rule. */
  final DatabaseRuleRepository openAt(DatabaseAddress given) {
    address = given;
    return reopen(new Seed(RuleSet.of(rule("seed", 1)), ALICE), "given.json");
  }

  private void run(String... statements) {
    try (var connection =
            DriverManager.getConnection(address.jdbc(), address.user(), address.password());
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (var each : statements) statement.executeUpdate(each);
      connection.commit();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private String tag() {
    return rows("SELECT tag FROM headgate_head").getFirst();
  }

  /** Restores the database to the state of that revision, like a backup. */
  private void restoreBackup(long number, String tag) {
    run(
        "DELETE FROM headgate_rules WHERE since_revision > " + number,
        "UPDATE headgate_rules SET until_revision = NULL WHERE until_revision > " + number,
        "DELETE FROM headgate_revisions WHERE revision > " + number,
        "UPDATE headgate_head SET revision = %d, tag = '%s'".formatted(number, tag));
  }

  private void awaitProblem(RuleRepository instance, String text) {
    Eventually.holds(
        "the problem is reported: " + text,
        TIMEOUT,
        () -> instance.condition().problem().filter(problem -> problem.contains(text)).isPresent());
  }

  @Test
  void restoredDatabaseIsReportedAndAcceptsNoChangesUntilARestart() {
    repository.change(ANY, BOB, replaceWith(rule("a", 2)));
    String tag = tag();
    repository.change(ANY, BOB, replaceWith(rule("a", 3)));
    restoreBackup(2, tag);
    awaitProblem(repository, "the database was restored");
    assertThatThrownBy(() -> repository.change(ANY, BOB, replaceWith(rule("a", 4))))
        .isInstanceOf(RuleRepositoryException.Unavailable.class)
        .hasMessageContaining("the rules database is at revision 2, but revision 3 is in force")
        .hasMessageContaining("restart Headgate to load its rules");
    assertThatThrownBy(() -> repository.restore(1, ANY, BOB))
        .isInstanceOf(RuleRepositoryException.Unavailable.class);
    assertThat(rules(repository.inForce())).containsExactly(rule("a", 3));
    assertThat(rows("SELECT MAX(revision) FROM headgate_revisions")).containsExactly("2");
    repository.close();
    repository = reopen();
    assertThat(rules(repository.inForce())).containsExactly(rule("a", 2));
    assertThat(rules(repository.change(ANY, BOB, replaceWith(rule("a", 4)))))
        .containsExactly(rule("a", 4));
    assertThat(rules(repository.inForce())).containsExactly(rule("a", 4));
  }

  @Test
  void revisionsOfTheSameNumberAreDistinguishedAfterARestore() {
    String tag = tag();
    repository.change(ANY, BOB, replaceWith(rule("a", 2)));
    restoreBackup(1, tag);
    try (var other = reopen()) {
      other.change(ANY, ALICE, replaceWith(rule("a", 7), rule("theirs", 1)));
      awaitProblem(repository, "is at another revision 2");
      assertThat(rules(repository.latest())).containsExactly(rule("a", 7), rule("theirs", 1));
      assertThatThrownBy(
              () -> repository.change(ExpectedRevision.of(2), BOB, old -> old.subList(0, 1)))
          .isInstanceOf(RuleRepositoryException.Unavailable.class);
      assertThat(rules(other.latest())).containsExactly(rule("a", 7), rule("theirs", 1));
      other.change(ANY, ALICE, replaceWith(rule("theirs", 2)));
      Eventually.holds(
          "the newer revision is in force",
          TIMEOUT,
          () -> rules(repository.inForce()).equals(List.of(rule("theirs", 2))));
      Eventually.holds(
          "the problem is resolved", TIMEOUT, () -> repository.condition().problem().isEmpty());
      repository.change(ANY, BOB, replaceWith(rule("a", 9)));
      assertThat(rules(repository.inForce())).containsExactly(rule("a", 9));
    }
  }

  /** Writes a revision that this version may not be able to read. */
  private void append(String id, String body) {
    run(
        "INSERT INTO headgate_revisions"
            + " (revision, made_at, author, message, seed, added, changed, removed, rules)"
            + " SELECT 2, made_at, author, message, seed, 1, 0, 0, 3 FROM headgate_revisions",
        "INSERT INTO headgate_rules (id, since_revision, place, body)"
            + " VALUES ('%s', 2, 99999999, '%s')".formatted(id, body),
        "UPDATE headgate_head SET revision = 2, tag = 'theirs'");
  }

  @Test
  void unreadableRulesAreReportedAndTheLastValidOnesSurviveARestart() {
    append("new", "{\"id\":\"new\",\"spin\":1}");
    awaitProblem(repository, "revision 2 in the rules database");
    assertThat(repository.condition().problem().orElseThrow())
        .contains("spin", "upgrade this instance");
    assertThatThrownBy(() -> repository.latest())
        .isInstanceOf(RuleRepositoryException.Unavailable.class);
    assertThatThrownBy(() -> repository.at(2))
        .isInstanceOf(RuleRepositoryException.Unavailable.class);
    assertThatThrownBy(() -> repository.change(ANY, BOB, replaceWith()))
        .isInstanceOf(RuleRepositoryException.Unavailable.class);
    assertThat(repository.inForce().number()).isEqualTo(1);
    repository.close();
    assertThatThrownBy(() -> reopen().close())
        .isInstanceOf(RuleRepositoryException.Unavailable.class)
        .hasMessageContaining("upgrade this instance if a newer version wrote it; and there is no")
        .hasMessageNotContaining("correct --database");
    repository = reopen(new Seed(RuleSet.of(rule("other", 1)), BOB), "copy.json");
    assertThat(rules(repository.inForce())).containsExactly(rule("a", 1), rule("b", 1));
    assertThat(repository.condition().problem()).isPresent();
    run("DELETE FROM headgate_rules WHERE id = 'new'");
    Eventually.holds("polling resumes", TIMEOUT, () -> repository.inForce().number() == 2);
    Eventually.holds(
        "the problem is resolved", TIMEOUT, () -> repository.condition().problem().isEmpty());
  }

  /** Records a migration that this version does not have, as a newer version does. */
  private void migrateFurther() {
    run(
        "INSERT INTO \"headgate_schema_history\" (\"installed_rank\", \"version\", \"description\","
            + " \"type\", \"script\", \"checksum\", \"installed_by\", \"execution_time\", \"success\")"
            + " VALUES (9, '2', 'more', 'SQL', 'V2__more.sql', 1, 'test', 1, TRUE)");
  }

  @Test
  void tablesOfANewerVersionAreNeitherReadNorWritten() {
    repository.close();
    migrateFurther();
    assertThatThrownBy(() -> reopen().close())
        .isInstanceOf(RuleRepositoryException.Unavailable.class)
        .hasMessageContaining("has tables of version 2, which a newer Headgate made;")
        .hasMessageContaining("this one knows version 1;")
        .hasMessageContaining("start the newer Headgate, or restore a backup")
        .hasMessageContaining("there is no snapshot of its rules in")
        .hasMessageNotContaining("correct --database");
    repository = reopen(new Seed(RuleSet.of(rule("other", 1)), BOB), "copy.json");
    assertThat(rules(repository.inForce())).containsExactly(rule("a", 1), rule("b", 1));
    assertThatThrownBy(() -> repository.change(ANY, BOB, replaceWith(rule("a", 2))))
        .isInstanceOf(RuleRepositoryException.Unavailable.class)
        .hasMessageContaining("start the newer Headgate");
    assertThat(rows("SELECT revision FROM headgate_head")).containsExactly("1");
    run("DELETE FROM \"headgate_schema_history\" WHERE \"version\" = '2'");
    Eventually.holds(
        "the problem is resolved", TIMEOUT, () -> repository.condition().problem().isEmpty());
  }

  @Test
  void duplicateRuleIdsAreReportedAndPollingContinues() {
    append("twin", RuleFile.json(rule("a", 5)));
    awaitProblem(repository, "two rules have the id 'a'");
    assertThatThrownBy(() -> repository.latest())
        .isInstanceOf(RuleRepositoryException.Unavailable.class);
    run("DELETE FROM headgate_rules WHERE id = 'twin'");
    Eventually.holds("polling resumes", TIMEOUT, () -> repository.inForce().number() == 2);
  }

  @Test
  void ruleOfMoreThanOneMegabyteIsStored() {
    var big = Rule.named("big").match("key", "*").limit(FixedWindow.of(Rate.perHour(1)));
    for (int i = 0; i < 2_000; i++) {
      big.override("key", "u".repeat(500) + i, FixedWindow.of(Rate.perHour(2)));
    }
    var rule = big.build();
    assertThat(RuleFile.json(rule).length()).isGreaterThan(1 << 20);
    repository.change(ANY, BOB, replaceWith(rule));
    repository.close();
    repository = reopen();
    assertThat(rules(repository.inForce())).containsExactly(rule);
  }

  @Test
  void rejectedDataIsNotReportedAsAnOutage() {
    try (var database = new Database(address)) {
      var entry =
          new RuleDao.Entry(NOON, "bob", "x".repeat(201), "accepted", OptionalLong.empty(), "");
      assertThatThrownBy(() ->
              database.inTransaction(handle -> {
                RuleDao.audit(handle, entry);
                return true;
              }))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("rejected the change");
    }
  }

  @Test
  void changeDoesNotInitializeAnEmptyDatabase() {
    run(
        "DELETE FROM headgate_rules",
        "DELETE FROM headgate_revisions",
        "UPDATE headgate_head SET book = 'another', revision = 0, tag = 'new'");
    assertThatThrownBy(() -> repository.latest())
        .isInstanceOf(RuleRepositoryException.Unavailable.class)
        .hasMessageContaining("not initialized yet");
    assertThatThrownBy(() -> repository.change(ANY, BOB, replaceWith(rule("c", 1))))
        .isInstanceOf(RuleRepositoryException.Unavailable.class)
        .hasMessageContaining("not initialized yet");
    awaitProblem(repository, "not initialized yet");
    assertThat(rules(repository.inForce())).containsExactly(rule("a", 1), rule("b", 1));
  }

  @Test
  void displayedAddressHasNoCredentials() {
    assertThat(repository.condition().source()).doesNotContain("s3cret");
    assertThat(address.toString()).doesNotContain("s3cret");
  }
}
