package io.headgate.server.rules.database;

import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.Revision;
import io.headgate.server.rules.RuleRepositoryException;
import io.headgate.server.rules.RuleSnapshot;
import io.headgate.server.rules.database.RuleDao.Entry;
import io.headgate.server.rules.database.RuleDao.Head;
import io.headgate.server.rules.database.RuleDao.Row;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is done with the stored rules, each in one transaction, and who did it. */
final class RuleTransactions {
  private static final Logger LOG = LoggerFactory.getLogger(RuleTransactions.class);
  private static final int LONGEST_DETAIL = 1_000;

  private final Database database;
  private final InstantSource clock;

  RuleTransactions(Database database, InstantSource clock) {
    this.database = database;
    this.clock = clock;
  }

  /** What the rules are to be. */
  private interface Draft {
    List<Rule> rules(Handle handle, Head head, StoredSnapshot latest);
  }

  Head head() {
    return database.ask(handle -> RuleDao.head(handle).orElseThrow());
  }

  /** The latest edition; the first comes of the seed. */
  StoredSnapshot begin(Seed seed) {
    var latest = head();
    if (latest.revision() > 0) return database.ask(handle -> load(handle, latest, Map.of()));
    return database.atOnce(handle -> {
      var head = RuleDao.lock(handle);
      if (head.revision() > 0) return load(handle, head, Map.of());
      var amendment = RevisionDelta.of(List.of(), seed.rules().rules());
      return append(
          handle, head, amendment, seed.signature(), OptionalLong.empty(), "begin the book");
    });
  }

  /**
   * @throws RuleBookProblem.NoSuchRevision if there is none of that number
   */
  RuleSnapshot at(long number, StoredSnapshot known) {
    return database.ask(handle -> {
      require(number, RuleDao.head(handle).orElseThrow());
      var rules = rules(handle, number, known.known());
      return new RuleSnapshot(RuleDao.revision(handle, number), rules);
    });
  }

  StoredSnapshot latest(StoredSnapshot known) {
    return database.ask(handle -> {
      var head = RuleDao.head(handle).orElseThrow();
      requireBegun(head);
      return known.isAt(head) ? known : load(handle, head, known.known());
    });
  }

  List<Revision> history(long before, int most) {
    return database.ask(handle -> RuleDao.revisions(handle, before, most));
  }

  /**
   * What came of a change.
   *
   * @param latest the latest edition afterwards
   * @param isNew whether the change made it; not if all stayed the same
   */
  record Done(StoredSnapshot latest, boolean isNew) {}

  Done change(
      StoredSnapshot known,
      OptionalLong expected,
      ChangeInfo signature,
      UnaryOperator<List<Rule>> edit) {
    Draft draft = (handle, head, latest) -> edit.apply(latest.rules());
    String action = "change the rules";
    return audited(
        signature,
        action,
        () -> apply(known, expected, signature, OptionalLong.empty(), action, draft));
  }

  Done restore(StoredSnapshot known, long number, OptionalLong expected, ChangeInfo signature) {
    Draft draft =
        (handle, head, latest) -> {
          require(number, head);
          return rules(handle, number, latest.known()).rules();
        };
    String action = "restore revision " + number;
    return audited(
        signature,
        action,
        () -> apply(known, expected, signature, OptionalLong.of(number), action, draft));
  }

  private Done apply(
      StoredSnapshot known,
      OptionalLong expected,
      ChangeInfo signature,
      OptionalLong restored,
      String action,
      Draft draft) {
    return database.atOnce(handle -> {
      var head = RuleDao.lock(handle);
      requireNotSetBack(known, head);
      requireBegun(head);
      if (expected.isPresent() && expected.getAsLong() != head.revision()) {
        throw new RuleRepositoryException.Stale(expected.getAsLong(), head.revision());
      }
      var latest = known.isAt(head) ? known : load(handle, head, known.known());
      var amendment = RevisionDelta.of(latest.lines(), draft.rules(handle, head, latest));
      if (!amendment.isEmpty()) {
        return new Done(append(handle, head, amendment, signature, restored, action), true);
      }
      audit(handle, signature, action, "unchanged", OptionalLong.of(head.revision()), "");
      return new Done(latest, false);
    });
  }

  private StoredSnapshot append(
      Handle handle,
      Head head,
      RevisionDelta amendment,
      ChangeInfo signature,
      OptionalLong restored,
      String action) {
    var revision =
        new Revision(
            head.revision() + 1,
            now(),
            signature,
            restored,
            amendment.added(),
            amendment.changed(),
            amendment.removed(),
            amendment.lines().size());
    var tag = RuleDao.newTag();
    var copy =
        StoredSnapshot.of(
            head.book(), tag, revision, amendment.lines()); // first: it may be refused
    RuleDao.append(handle, revision, tag, amendment);
    var number = OptionalLong.of(revision.number());
    audit(handle, signature, action, "accepted", number, signature.message());
    return copy;
  }

  private Done audited(ChangeInfo signature, String action, Supplier<Done> change) {
    try {
      var done = change.get();
      LOG.info(
          "rules: {} asked to {}: revision {} is the latest",
          signature.author(),
          action,
          done.latest().number());
      return done;
    } catch (RuleRepositoryException.Away e) {
      LOG.warn("rules: {} asked to {}: {}", signature.author(), action, e.getMessage());
      throw e;
    } catch (RuntimeException e) {
      String why = detail(String.valueOf(e.getMessage()));
      LOG.warn("rules: {} asked to {}, refused: {}", signature.author(), action, why);
      refused(signature, action, why);
      throw e;
    }
  }

  /** The refused change itself was undone, and its entry with it. */
  private void refused(ChangeInfo signature, String action, String why) {
    try {
      database.ask(handle -> {
        audit(handle, signature, action, "refused", OptionalLong.empty(), why);
        return true;
      });
    } catch (RuleRepositoryException.Away | IllegalArgumentException e) {
      LOG.warn("rules: the audit lacks the last line: {}", e.getMessage());
    }
  }

  private void audit(
      Handle handle,
      ChangeInfo signature,
      String action,
      String outcome,
      OptionalLong revision,
      String detail) {
    RuleDao.audit(
        handle, new Entry(now(), signature.author(), action, outcome, revision, detail(detail)));
  }

  private StoredSnapshot load(Handle handle, Head head, Map<String, Rule> known) {
    long number = head.revision();
    var revision = RuleDao.revision(handle, number);
    var rows = RuleDao.rows(handle, number);
    return read(
        number, () -> StoredSnapshot.of(head.book(), head.tag(), revision, lines(rows, known)));
  }

  private RuleSet rules(Handle handle, long number, Map<String, Rule> known) {
    var rows = RuleDao.rows(handle, number);
    return read(
        number, () -> RuleSet.of(lines(rows, known).stream().map(StoredRule::rule).toList()));
  }

  private static List<StoredRule> lines(List<Row> rows, Map<String, Rule> known) {
    return rows.stream().map(row -> StoredRule.read(row.place(), row.body(), known)).toList();
  }

  /** Whoever wrote it may know more than this version does. */
  private <T> T read(long number, Supplier<T> rules) {
    try {
      return rules.get();
    } catch (RuntimeException e) {
      throw new RuleRepositoryException.Away(
          "revision %d in the database of rules, %s, can't be used by this version of Headgate (%s);"
                  .formatted(number, database.place(), detail(String.valueOf(e.getMessage())))
              + " the rules in force stay so; update this instance if a newer one wrote it",
          e);
    }
  }

  /**
   * What such a database takes would not be in force here, since revisions never go backwards.
   *
   * @throws RuleBookProblem.Away if what is held is not of the database's past
   */
  static void requireNotSetBack(StoredSnapshot held, Head head) {
    if (!held.isPast(head)) return;
    String other = head.revision() == held.number() ? "another revision" : "revision";
    throw new RuleRepositoryException.Away(
        "the database of rules is at %s %d, and revision %d is in force here: it was set back;"
                .formatted(other, head.revision(), held.number())
            + " restart Headgate to take its rules, until then none are changed here",
        null);
  }

  /** It is empty when it comes up for the first time behind an instance that has a copy. */
  private void requireBegun(Head head) {
    if (head.revision() > 0) return;
    throw new RuleRepositoryException.Away(
        "the database of rules, %s, is empty: its book is not begun yet; try again"
            .formatted(database.place()),
        null);
  }

  private static void require(long number, Head head) {
    if (number < 1 || number > head.revision()) {
      throw new RuleRepositoryException.NoSuchRevision(number, head.revision());
    }
  }

  /** As exact as databases keep it, so that it is the same when it is read again. */
  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  private static String detail(String text) {
    String line = text.replaceAll("\\p{Cntrl}+", " ").strip();
    return line.length() > LONGEST_DETAIL ? line.substring(0, LONGEST_DETAIL - 1) + "…" : line;
  }
}
