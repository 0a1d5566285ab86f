package io.headgate.server.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.rules.ChangeInfo;
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

/** What a book in any database must do besides. */
abstract class DatabaseRuleRepositoryContract extends RuleRepositoryContract {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path folder;

  private DatabaseAddress address;

  /** A new database. */
  abstract DatabaseAddress database();

  @Override
  protected RuleRepository open(RuleSet rules, ChangeInfo signature) {
    address = database();
    return again(new Seed(rules, signature), "copy.json");
  }

  private DatabaseRuleRepository again(Seed seed, String copy) {
    var terms =
        new DatabaseRuleRepository.Terms(
            address, folder.resolve(copy), Duration.ofMillis(20), Optional.empty(), CLOCK);
    return DatabaseRuleRepository.open(terms, seed);
  }

  private DatabaseRuleRepository again() {
    return again(new Seed(RuleSet.of(rule("other", 1)), BOB), "other.json");
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
  void aBookThatIsOpenedAgainHasAllItHad() {
    book.change(ANY, BOB, become(rule("b", 2), rule("a", 1)));
    var history = book.history(Long.MAX_VALUE, 10);
    book.close();
    book = again();
    assertThat(book.inForce().revision()).isEqualTo(history.getFirst());
    assertThat(rules(book.inForce())).containsExactly(rule("b", 2), rule("a", 1));
    assertThat(book.history(Long.MAX_VALUE, 10)).isEqualTo(history);
    assertThat(rules(book.at(1))).containsExactly(rule("a", 1), rule("b", 1));
  }

  @Test
  void itRemembersWhichRevisionsAreAFilesOwn() {
    book.change(ANY, new ChangeInfo("file x", "", true), become(rule("a", 2)));
    book.change(ANY, new ChangeInfo("file x", ""), become(rule("a", 3)));
    book.close();
    book = again();
    assertThat(book.history(Long.MAX_VALUE, 10))
        .extracting(revision -> revision.signature().isSeed())
        .containsExactly(false, true, false);
  }

  @Test
  void onlyWhatChangedIsStored() {
    var many = IntStream.range(0, 100).mapToObj(i -> rule("r" + i, 1)).toList();
    book.change(ANY, BOB, old -> many);
    for (int i = 0; i < 10; i++) {
      var next = rule("r50", 2 + i);
      book.change(ANY, BOB, old -> old.stream().map(r -> r.id().equals("r50") ? next : r).toList());
    }
    book.change(ANY, BOB, old -> inserted(old, 0, rule("first", 1)));
    book.change(ANY, BOB, old -> inserted(old, 50, rule("middle", 1)));
    book.change(ANY, BOB, old -> inserted(old.subList(1, old.size()), 30, old.getFirst()));
    assertThat(rows("SELECT COUNT(*) FROM headgate_rules")).containsExactly("115");
    assertThat(rules(book.latest()).get(30).id()).isEqualTo("first");
  }

  private static List<Rule> inserted(List<Rule> rules, int at, Rule rule) {
    var more = new ArrayList<>(rules);
    more.add(at, rule);
    return more;
  }

  @Test
  void theAuditHasWhatWasAcceptedAndWhatWasRefused() {
    book.change(ANY, BOB, become(rule("c", 1)));
    book.change(ANY, BOB, become(rule("c", 1)));
    assertThatThrownBy(() -> book.change(OptionalLong.of(1), BOB, become()))
        .isInstanceOf(RuleRepositoryException.Stale.class);
    assertThatThrownBy(() -> book.change(ANY, BOB, become(rule("c", 1), rule("c", 1))))
        .isInstanceOf(IllegalArgumentException.class);
    book.restore(1, ANY, ALICE);
    assertThat(
            rows(
                "SELECT author, action, outcome, revision, detail FROM headgate_audit ORDER BY entry"))
        .containsExactly(
            "alice begin the book accepted 1 because",
            "bob change the rules accepted 2 ",
            "bob change the rules unchanged 2 ",
            "bob change the rules refused null the rules are at revision 2, not 1 any more; look at them again",
            "bob change the rules refused null two rules have the id 'c'; ids must be unique",
            "alice restore revision 1 accepted 3 because");
  }

  @Test
  void twoInstancesThatChangeAtOnceLoseNothing() {
    try (var other = again()) {
      var one = changes(book, "one");
      var two = changes(other, "two");
      CompletableFuture.allOf(one, two).join();
      Eventually.holds(
          "both enforce all of it",
          PATIENCE,
          () -> book.inForce().number() == 41 && other.inForce().number() == 41);
      assertThat(rules(book.inForce())).hasSize(42).isEqualTo(rules(other.inForce()));
      var history = book.history(Long.MAX_VALUE, 100);
      assertThat(history).hasSize(41).isEqualTo(other.history(Long.MAX_VALUE, 100));
      assertThat(history)
          .allSatisfy(
              revision -> assertThat(revision.rules()).isEqualTo((int) revision.number() + 1));
    }
  }

  private static CompletableFuture<Void> changes(RuleRepository book, String name) {
    return CompletableFuture.runAsync(() -> {
      for (int i = 0; i < 20; i++) {
        var rule = rule(name + i, 1);
        book.change(ANY, BOB, old -> inserted(old, old.size() / 2, rule));
      }
    });
  }

  @Test
  void ofTwoInstancesWithTheSameRevisionInHandOneIsRefused() {
    try (var other = again()) {
      book.change(OptionalLong.of(1), ALICE, become(rule("x", 1)));
      assertThatThrownBy(() -> other.change(OptionalLong.of(1), BOB, become(rule("y", 1))))
          .isInstanceOf(RuleRepositoryException.Stale.class);
      var made = other.change(OptionalLong.of(2), BOB, old -> inserted(old, 1, rule("y", 1)));
      assertThat(rules(made)).containsExactly(rule("x", 1), rule("y", 1));
    }
  }

  @Test
  void instancesThatStartTogetherBeginOneBook() {
    address = database();
    var starts =
        IntStream.range(0, 4)
            .mapToObj(i ->
                CompletableFuture.supplyAsync(
                    () -> again(new Seed(RuleSet.of(rule("seed" + i, 1)), ALICE), "copy" + i),
                    task -> new Thread(task).start()))
            .toList();
    var books = starts.stream().map(CompletableFuture::join).toList();
    try {
      var editions = books.stream().map(RuleRepository::inForce).toList();
      assertThat(editions.stream().map(RuleSnapshot::number)).containsOnly(1L);
      assertThat(editions.stream().map(edition -> rules(edition)).distinct()).hasSize(1);
    } finally {
      books.forEach(RuleRepository::close);
    }
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

  /** As a backup leaves it that was made when it was at that revision. */
  private void setBack(long number, String tag) {
    run(
        "DELETE FROM headgate_rules WHERE since_revision > " + number,
        "UPDATE headgate_rules SET until_revision = NULL WHERE until_revision > " + number,
        "DELETE FROM headgate_revisions WHERE revision > " + number,
        "UPDATE headgate_head SET revision = %d, tag = '%s'".formatted(number, tag));
  }

  private void awaitProblem(RuleRepository of, String what) {
    Eventually.holds(
        "it says: " + what,
        PATIENCE,
        () -> of.condition().problem().filter(said -> said.contains(what)).isPresent());
  }

  @Test
  void aDatabaseThatWasSetBackIsReportedAndTakesNoChangesUntilARestart() {
    book.change(ANY, BOB, become(rule("a", 2)));
    String tag = tag();
    book.change(ANY, BOB, become(rule("a", 3)));
    setBack(2, tag);
    awaitProblem(book, "it was set back");
    assertThatThrownBy(() -> book.change(ANY, BOB, become(rule("a", 4))))
        .isInstanceOf(RuleRepositoryException.Away.class)
        .hasMessageContaining("the database of rules is at revision 2, and revision 3 is in force")
        .hasMessageContaining("restart Headgate to take its rules");
    assertThatThrownBy(() -> book.restore(1, ANY, BOB))
        .isInstanceOf(RuleRepositoryException.Away.class);
    assertThat(rules(book.inForce())).containsExactly(rule("a", 3));
    assertThat(rows("SELECT MAX(revision) FROM headgate_revisions")).containsExactly("2");
    book.close();
    book = again();
    assertThat(rules(book.inForce())).containsExactly(rule("a", 2));
    assertThat(rules(book.change(ANY, BOB, become(rule("a", 4))))).containsExactly(rule("a", 4));
    assertThat(rules(book.inForce())).containsExactly(rule("a", 4));
  }

  @Test
  void theSameNumberAfterADatabaseWasSetBackIsNotTakenForTheSameRules() {
    String tag = tag();
    book.change(ANY, BOB, become(rule("a", 2)));
    setBack(1, tag);
    try (var other = again()) {
      other.change(ANY, ALICE, become(rule("a", 7), rule("theirs", 1)));
      awaitProblem(book, "is at another revision 2");
      assertThat(rules(book.latest())).containsExactly(rule("a", 7), rule("theirs", 1));
      assertThatThrownBy(() -> book.change(OptionalLong.of(2), BOB, old -> old.subList(0, 1)))
          .isInstanceOf(RuleRepositoryException.Away.class);
      assertThat(rules(other.latest())).containsExactly(rule("a", 7), rule("theirs", 1));
      other.change(ANY, ALICE, become(rule("theirs", 2)));
      Eventually.holds(
          "the newer revision is in force",
          PATIENCE,
          () -> rules(book.inForce()).equals(List.of(rule("theirs", 2))));
      Eventually.holds("all is well", PATIENCE, () -> book.condition().problem().isEmpty());
      book.change(ANY, BOB, become(rule("a", 9)));
      assertThat(rules(book.inForce())).containsExactly(rule("a", 9));
    }
  }

  /** As somebody leaves it who writes what this version can't read. */
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
  void rulesThatCanNotBeReadAreReportedAndTheLastGoodOnesStayAlsoOverARestart() {
    append("new", "{\"id\":\"new\",\"spin\":1}");
    awaitProblem(book, "revision 2 in the database of rules");
    assertThat(book.condition().problem().orElseThrow()).contains("spin", "update this instance");
    assertThatThrownBy(() -> book.latest()).isInstanceOf(RuleRepositoryException.Away.class);
    assertThatThrownBy(() -> book.at(2)).isInstanceOf(RuleRepositoryException.Away.class);
    assertThatThrownBy(() -> book.change(ANY, BOB, become()))
        .isInstanceOf(RuleRepositoryException.Away.class);
    assertThat(book.inForce().number()).isEqualTo(1);
    book.close();
    book = again(new Seed(RuleSet.of(rule("other", 1)), BOB), "copy.json");
    assertThat(rules(book.inForce())).containsExactly(rule("a", 1), rule("b", 1));
    assertThat(book.condition().problem()).isPresent();
    run("DELETE FROM headgate_rules WHERE id = 'new'");
    Eventually.holds("it follows again", PATIENCE, () -> book.inForce().number() == 2);
    Eventually.holds("all is well", PATIENCE, () -> book.condition().problem().isEmpty());
  }

  @Test
  void twoRulesOfOneIdAreReportedAndTheFollowingGoesOn() {
    append("twin", RuleFile.json(rule("a", 5)));
    awaitProblem(book, "two rules have the id 'a'");
    assertThatThrownBy(() -> book.latest()).isInstanceOf(RuleRepositoryException.Away.class);
    run("DELETE FROM headgate_rules WHERE id = 'twin'");
    Eventually.holds("it follows again", PATIENCE, () -> book.inForce().number() == 2);
  }

  @Test
  void aRuleOfMoreThanAMegabyteIsKept() {
    var big = Rule.named("big").match("key", "*").limit(FixedWindow.of(Rate.perHour(1)));
    for (int i = 0; i < 10_000; i++) {
      big.override("key", "u".repeat(80) + i, FixedWindow.of(Rate.perHour(2)));
    }
    var rule = big.build();
    assertThat(RuleFile.json(rule).length()).isGreaterThan(1 << 20);
    book.change(ANY, BOB, become(rule));
    book.close();
    book = again();
    assertThat(rules(book.inForce())).containsExactly(rule);
  }

  @Test
  void whatTheDatabaseCanNotKeepIsRefusedAndNotCalledAnOutage() {
    try (var database = new Database(address)) {
      var entry = new RuleDao.Entry(NOON, "bob", "x".repeat(201), "accepted", ANY, "");
      assertThatThrownBy(() ->
              database.atOnce(handle -> {
                RuleDao.audit(handle, entry);
                return true;
              }))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("refuses this");
    }
  }

  @Test
  void anEmptyDatabaseIsNotBegunByAChange() {
    run(
        "DELETE FROM headgate_rules",
        "DELETE FROM headgate_revisions",
        "UPDATE headgate_head SET book = 'another', revision = 0, tag = 'new'");
    assertThatThrownBy(() -> book.latest())
        .isInstanceOf(RuleRepositoryException.Away.class)
        .hasMessageContaining("not begun yet");
    assertThatThrownBy(() -> book.change(ANY, BOB, become(rule("c", 1))))
        .isInstanceOf(RuleRepositoryException.Away.class)
        .hasMessageContaining("not begun yet");
    awaitProblem(book, "not begun yet");
    assertThat(rules(book.inForce())).containsExactly(rule("a", 1), rule("b", 1));
  }

  @Test
  void thePlaceHasNoSecrets() {
    assertThat(book.condition().source()).doesNotContain("s3cret");
    assertThat(address.toString()).doesNotContain("s3cret");
  }
}
