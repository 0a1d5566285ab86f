package io.headgate.server.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that every implementation of {@link RuleRepository} must pass. */
public abstract class RuleRepositoryContract {
  protected static final Instant NOON = Instant.parse("2026-03-29T12:00:00.123456Z");
  protected static final InstantSource CLOCK = InstantSource.fixed(NOON);
  protected static final ChangeInfo ALICE = new ChangeInfo("alice", "because");
  protected static final ChangeInfo BOB = new ChangeInfo("bob", "");
  protected static final ExpectedRevision ANY = ExpectedRevision.any();

  protected RuleRepository repository;

  /** Opens a new repository whose only revision holds the given rules. */
  protected abstract RuleRepository open(RuleSet rules, ChangeInfo changeInfo);

  @BeforeEach
  void openRepository() {
    repository = open(RuleSet.of(rule("a", 1), rule("b", 1)), ALICE);
  }

  @AfterEach
  void closeRepository() {
    repository.close();
  }

  protected static Rule rule(String id, long limit) {
    return Rule.named(id)
        .match("key", id + ":*")
        .limit(FixedWindow.of(Rate.of(limit, Duration.ofHours(1))))
        .build();
  }

  protected static UnaryOperator<List<Rule>> replaceWith(Rule... rules) {
    return old -> List.of(rules);
  }

  private static UnaryOperator<List<Rule>> add(Rule rule) {
    return old -> {
      var more = new ArrayList<>(old);
      more.add(rule);
      return more;
    };
  }

  protected static List<Rule> rules(RuleSnapshot snapshot) {
    return snapshot.rules().rules();
  }

  private static List<String> ids(RuleSnapshot snapshot) {
    return rules(snapshot).stream().map(Rule::id).toList();
  }

  @Test
  void firstRevisionIsNumberOne() {
    var revision = new Revision(1, NOON, ALICE, OptionalLong.empty(), 2, 0, 0, 2);
    assertThat(repository.inForce().revision()).isEqualTo(revision);
    assertThat(repository.history(Long.MAX_VALUE, 10)).containsExactly(revision);
    assertThat(rules(repository.latest())).containsExactly(rule("a", 1), rule("b", 1));
    assertThat(repository.condition().problem()).isEmpty();
    assertThat(repository.condition().readOnly()).isEmpty();
  }

  @Test
  void changeCreatesARevisionThatIsInForceOnReturn() {
    var made = repository.change(ANY, BOB, replaceWith(rule("b", 2), rule("c", 1)));
    assertThat(made.revision())
        .isEqualTo(new Revision(2, NOON, BOB, OptionalLong.empty(), 1, 1, 1, 2));
    assertThat(rules(made)).containsExactly(rule("b", 2), rule("c", 1));
    assertThat(repository.inForce().revision()).isEqualTo(made.revision());
    assertThat(rules(repository.inForce())).isEqualTo(rules(made));
    assertThat(rules(repository.latest())).isEqualTo(rules(made));
  }

  @Test
  void failingListenerStopsNeitherTheChangeNorOtherListeners() {
    var notified = new CopyOnWriteArrayList<Long>();
    repository.follow(snapshot -> {
      if (snapshot.number() == 2) throw new IllegalStateException("not this one");
    });
    repository.follow(snapshot -> notified.add(snapshot.number()));
    assertThat(repository.change(ANY, BOB, replaceWith(rule("c", 1))).number()).isEqualTo(2);
    assertThat(repository.inForce().number()).isEqualTo(2);
    assertThat(notified).containsExactly(1L, 2L);
  }

  @Test
  void unchangedRulesCreateNoRevision() {
    assertThat(repository.change(ANY, BOB, old -> List.copyOf(old)).number()).isEqualTo(1);
    assertThat(repository.change(ANY, BOB, replaceWith(rule("a", 1), rule("b", 1))).number())
        .isEqualTo(1);
    assertThat(repository.restore(1, ANY, BOB).number()).isEqualTo(1);
    assertThat(repository.history(Long.MAX_VALUE, 10)).hasSize(1);
  }

  @Test
  void changeBasedOnAnOldRevisionIsRefused() {
    repository.change(ExpectedRevision.of(1), ALICE, add(rule("c", 1)));
    assertThatThrownBy(() -> repository.change(ExpectedRevision.of(1), BOB, add(rule("d", 1))))
        .isInstanceOf(RuleRepositoryException.Stale.class)
        .hasMessageContaining("the rules are at revision 2, but the change is based on revision 1");
    assertThatThrownBy(() -> repository.restore(1, ExpectedRevision.of(7), BOB))
        .isInstanceOf(RuleRepositoryException.Stale.class);
    assertThat(ids(repository.latest())).containsExactly("a", "b", "c");
    assertThat(repository.history(Long.MAX_VALUE, 10)).hasSize(2);
  }

  @Test
  void invalidChangeIsRefusedCompletely() {
    assertThatThrownBy(() ->
            repository.change(ANY, BOB, replaceWith(rule("x", 1), rule("y", 1), rule("x", 2))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two rules have the id 'x'");
    assertThatThrownBy(() ->
            repository.change(
                ANY,
                BOB,
                old -> {
                  throw new IllegalStateException("the editor gave up");
                }))
        .hasMessageContaining("the editor gave up");
    assertThat(ids(repository.latest())).containsExactly("a", "b");
    assertThat(repository.change(ANY, BOB, add(rule("c", 1))).number()).isEqualTo(2);
  }

  @Test
  void everyRevisionRemainsReadable() {
    repository.change(ANY, BOB, add(rule("c", 1)));
    repository.change(ANY, BOB, replaceWith(rule("c", 2)));
    repository.change(ANY, BOB, replaceWith());
    assertThat(rules(repository.at(1))).containsExactly(rule("a", 1), rule("b", 1));
    assertThat(rules(repository.at(2))).containsExactly(rule("a", 1), rule("b", 1), rule("c", 1));
    assertThat(rules(repository.at(3))).containsExactly(rule("c", 2));
    assertThat(rules(repository.at(4))).isEmpty();
    assertThat(repository.at(3).revision().removed()).isEqualTo(2);
    for (long none : new long[] {0, -1, 5}) {
      assertThatThrownBy(() -> repository.at(none))
          .isInstanceOf(RuleRepositoryException.NoSuchRevision.class)
          .hasMessage("there is no revision %d; there are 1 to 4".formatted(none));
    }
  }

  @Test
  void anyRevisionCanBeRestoredAsANewOne() {
    repository.change(ANY, BOB, replaceWith(rule("c", 1), rule("a", 5)));
    var restored = repository.restore(1, ExpectedRevision.of(2), ALICE);
    assertThat(restored.revision())
        .isEqualTo(new Revision(3, NOON, ALICE, OptionalLong.of(1), 1, 1, 1, 2));
    assertThat(rules(restored)).containsExactly(rule("a", 1), rule("b", 1));
    assertThat(repository.history(Long.MAX_VALUE, 1)).containsExactly(restored.revision());
    assertThatThrownBy(() -> repository.restore(9, ANY, BOB))
        .isInstanceOf(RuleRepositoryException.NoSuchRevision.class);
  }

  @Test
  void orderOfRulesIsPreserved() {
    repository.change(ANY, BOB, replaceWith(rule("b", 1), rule("a", 1)));
    repository.change(
        ANY, BOB, replaceWith(rule("c", 1), rule("b", 1), rule("d", 1), rule("a", 1)));
    assertThat(ids(repository.at(1))).containsExactly("a", "b");
    assertThat(ids(repository.at(2))).containsExactly("b", "a");
    assertThat(ids(repository.at(3))).containsExactly("c", "b", "d", "a");
    assertThat(repository.at(2).revision().changed()).isZero();
  }

  @Test
  void historyIsPagedNewestFirst() {
    for (int i = 2; i <= 7; i++) repository.change(ANY, BOB, replaceWith(rule("a", i)));
    assertThat(numbers(repository.history(Long.MAX_VALUE, 3))).containsExactly(7L, 6L, 5L);
    assertThat(numbers(repository.history(5, 3))).containsExactly(4L, 3L, 2L);
    assertThat(numbers(repository.history(2, 3))).containsExactly(1L);
    assertThat(repository.history(1, 3)).isEmpty();
  }

  @Test
  void historyOfARuleHasOnlyItsOwnChanges() {
    repository.change(ANY, BOB, replaceWith(rule("a", 2), rule("b", 1))); // 2
    repository.change(ANY, BOB, replaceWith(rule("a", 2), rule("b", 7))); // 3: another rule
    repository.change(ANY, BOB, replaceWith(rule("b", 7), rule("a", 2))); // 4: moved
    repository.change(ANY, BOB, replaceWith(rule("b", 7))); // 5: removed
    repository.change(ANY, BOB, replaceWith(rule("b", 8))); // 6: another rule
    repository.change(ANY, ALICE, replaceWith(rule("b", 8), rule("a", 3))); // 7: added again
    var history = repository.history("a", Long.MAX_VALUE, 10);
    assertThat(history)
        .extracting(entry -> entry.revision().number(), entry -> entry.change().kind())
        .containsExactly(
            tuple(7L, RuleDiff.Kind.ADDED),
            tuple(5L, RuleDiff.Kind.REMOVED),
            tuple(2L, RuleDiff.Kind.CHANGED),
            tuple(1L, RuleDiff.Kind.ADDED));
    assertThat(history.getFirst().revision().changeInfo()).isEqualTo(ALICE);
    assertThat(history.get(2).change().edits())
        .containsExactly(new RuleDiff.Edit("limit.rate", Optional.of("1/1h"), Optional.of("2/1h")));
    assertThat(repository.history("none", Long.MAX_VALUE, 10)).isEmpty();
  }

  @Test
  void historyOfARuleIsPaged() {
    for (int i = 2; i <= 120; i++) repository.change(ANY, BOB, replaceWith(rule("a", i)));
    repository.change(ANY, BOB, replaceWith());
    var numbers = new ArrayList<Long>();
    long before = Long.MAX_VALUE;
    for (int page = 0; page < 5; page++) {
      var history = repository.history("a", before, 30);
      history.forEach(entry -> numbers.add(entry.revision().number()));
      if (history.size() < 30) break;
      before = numbers.getLast();
    }
    assertThat(numbers.reversed())
        .containsExactlyElementsOf(LongStream.rangeClosed(1, 121).boxed().toList());
    assertThat(repository.history("a", Long.MAX_VALUE, 1_000)).hasSize(121);
  }

  @Test
  void lastChangeOfARuleIgnoresMovesAndOtherRules() {
    repository.change(ANY, BOB, replaceWith(rule("a", 2), rule("b", 1))); // 2
    repository.change(ANY, BOB, replaceWith(rule("b", 1), rule("a", 2))); // 3: moved
    repository.change(ANY, BOB, replaceWith(rule("b", 1), rule("a", 2), rule("c", 1))); // 4
    repository.change(ANY, BOB, replaceWith(rule("b", 1), rule("a", 2))); // 5: c removed
    assertThat(repository.lastChanges())
        .isEqualTo(Map.of("a", new RuleModified(2, NOON), "b", new RuleModified(1, NOON)));
  }

  private static List<Long> numbers(List<Revision> revisions) {
    return revisions.stream().map(Revision::number).toList();
  }

  @Test
  void listenerReceivesTheCurrentAndEachLaterSnapshot() {
    var seen = new CopyOnWriteArrayList<Long>();
    repository.follow(snapshot -> seen.add(snapshot.number()));
    for (int i = 2; i <= 5; i++) repository.change(ANY, BOB, replaceWith(rule("a", i)));
    assertThat(seen).containsExactly(1L, 2L, 3L, 4L, 5L);
  }

  @Test
  void concurrentChangesAreAllStored() {
    int authors = 8;
    int changes = 5;
    var all =
        IntStream.range(0, authors)
            .mapToObj(author ->
                CompletableFuture.runAsync(
                    () -> {
                      for (int i = 0; i < changes; i++) {
                        repository.change(ANY, BOB, add(rule("r%d-%d".formatted(author, i), 1)));
                      }
                    },
                    Thread::startVirtualThread))
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(all).join();
    assertThat(rules(repository.latest())).hasSize(2 + authors * changes);
    assertThat(numbers(repository.history(Long.MAX_VALUE, 1_000)).reversed())
        .containsExactlyElementsOf(
            LongStream.rangeClosed(1, 1 + authors * changes).boxed().toList());
  }
}
