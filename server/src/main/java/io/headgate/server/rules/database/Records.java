package io.headgate.server.rules.database;

import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.rules.Edition;
import io.headgate.server.rules.Revision;
import io.headgate.server.rules.RuleBookProblem;
import io.headgate.server.rules.Signature;
import io.headgate.server.rules.database.Ledger.Entry;
import io.headgate.server.rules.database.Ledger.Head;
import io.headgate.server.rules.database.Ledger.Row;
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
final class Records {
  private static final Logger LOG = LoggerFactory.getLogger(Records.class);
  private static final int LONGEST_DETAIL = 1_000;

  private final Database database;
  private final InstantSource clock;

  Records(Database database, InstantSource clock) {
    this.database = database;
    this.clock = clock;
  }

  /** What the rules are to be. */
  private interface Draft {
    List<Rule> rules(Handle handle, Head head, Copy latest);
  }

  Head head() {
    return database.ask(handle -> Ledger.head(handle).orElseThrow());
  }

  /** The latest edition; the first comes of the seed. */
  Copy begin(Seed seed) {
    var latest = head();
    if (latest.revision() > 0) return database.ask(handle -> load(handle, latest, Map.of()));
    return database.atOnce(handle -> {
      var head = Ledger.lock(handle);
      if (head.revision() > 0) return load(handle, head, Map.of());
      var amendment = Amendment.of(List.of(), seed.rules().rules());
      return append(
          handle, head, amendment, seed.signature(), OptionalLong.empty(), "begin the book");
    });
  }

  /**
   * @throws RuleBookProblem.NoSuchRevision if there is none of that number
   */
  Edition at(long number, Copy known) {
    return database.ask(handle -> {
      require(number, Ledger.head(handle).orElseThrow());
      var rules = rules(handle, number, known.known());
      return new Edition(Ledger.revision(handle, number), rules);
    });
  }

  Copy latest(Copy known) {
    return database.ask(handle -> {
      var head = Ledger.head(handle).orElseThrow();
      requireBegun(head);
      return known.isAt(head) ? known : load(handle, head, known.known());
    });
  }

  List<Revision> history(long before, int most) {
    return database.ask(handle -> Ledger.revisions(handle, before, most));
  }

  /**
   * What came of a change.
   *
   * @param latest the latest edition afterwards
   * @param isNew whether the change made it; not if all stayed the same
   */
  record Done(Copy latest, boolean isNew) {}

  Done change(
      Copy known, OptionalLong expected, Signature signature, UnaryOperator<List<Rule>> edit) {
    Draft draft = (handle, head, latest) -> edit.apply(latest.rules());
    String action = "change the rules";
    return audited(
        signature,
        action,
        () -> apply(known, expected, signature, OptionalLong.empty(), action, draft));
  }

  Done restore(Copy known, long number, OptionalLong expected, Signature signature) {
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
      Copy known,
      OptionalLong expected,
      Signature signature,
      OptionalLong restored,
      String action,
      Draft draft) {
    return database.atOnce(handle -> {
      var head = Ledger.lock(handle);
      requireNotSetBack(known, head);
      requireBegun(head);
      if (expected.isPresent() && expected.getAsLong() != head.revision()) {
        throw new RuleBookProblem.Stale(expected.getAsLong(), head.revision());
      }
      var latest = known.isAt(head) ? known : load(handle, head, known.known());
      var amendment = Amendment.of(latest.lines(), draft.rules(handle, head, latest));
      if (!amendment.isEmpty()) {
        return new Done(append(handle, head, amendment, signature, restored, action), true);
      }
      audit(handle, signature, action, "unchanged", OptionalLong.of(head.revision()), "");
      return new Done(latest, false);
    });
  }

  private Copy append(
      Handle handle,
      Head head,
      Amendment amendment,
      Signature signature,
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
    var tag = Ledger.newTag();
    var copy = Copy.of(head.book(), tag, revision, amendment.lines()); // first: it may be refused
    Ledger.append(handle, revision, tag, amendment);
    var number = OptionalLong.of(revision.number());
    audit(handle, signature, action, "accepted", number, signature.message());
    return copy;
  }

  private Done audited(Signature signature, String action, Supplier<Done> change) {
    try {
      var done = change.get();
      LOG.info(
          "rules: {} asked to {}: revision {} is the latest",
          signature.author(),
          action,
          done.latest().number());
      return done;
    } catch (RuleBookProblem.Away e) {
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
  private void refused(Signature signature, String action, String why) {
    try {
      database.ask(handle -> {
        audit(handle, signature, action, "refused", OptionalLong.empty(), why);
        return true;
      });
    } catch (RuleBookProblem.Away | IllegalArgumentException e) {
      LOG.warn("rules: the audit lacks the last line: {}", e.getMessage());
    }
  }

  private void audit(
      Handle handle,
      Signature signature,
      String action,
      String outcome,
      OptionalLong revision,
      String detail) {
    Ledger.audit(
        handle, new Entry(now(), signature.author(), action, outcome, revision, detail(detail)));
  }

  private Copy load(Handle handle, Head head, Map<String, Rule> known) {
    long number = head.revision();
    var revision = Ledger.revision(handle, number);
    var rows = Ledger.rows(handle, number);
    return read(number, () -> Copy.of(head.book(), head.tag(), revision, lines(rows, known)));
  }

  private RuleSet rules(Handle handle, long number, Map<String, Rule> known) {
    var rows = Ledger.rows(handle, number);
    return read(number, () -> RuleSet.of(lines(rows, known).stream().map(Line::rule).toList()));
  }

  private static List<Line> lines(List<Row> rows, Map<String, Rule> known) {
    return rows.stream().map(row -> Line.read(row.place(), row.body(), known)).toList();
  }

  /** Whoever wrote it may know more than this version does. */
  private <T> T read(long number, Supplier<T> rules) {
    try {
      return rules.get();
    } catch (RuntimeException e) {
      throw new RuleBookProblem.Away(
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
  static void requireNotSetBack(Copy held, Head head) {
    if (!held.isPast(head)) return;
    String other = head.revision() == held.number() ? "another revision" : "revision";
    throw new RuleBookProblem.Away(
        "the database of rules is at %s %d, and revision %d is in force here: it was set back;"
                .formatted(other, head.revision(), held.number())
            + " restart Headgate to take its rules, until then none are changed here",
        null);
  }

  /** It is empty when it comes up for the first time behind an instance that has a copy. */
  private void requireBegun(Head head) {
    if (head.revision() > 0) return;
    throw new RuleBookProblem.Away(
        "the database of rules, %s, is empty: its book is not begun yet; try again"
            .formatted(database.place()),
        null);
  }

  private static void require(long number, Head head) {
    if (number < 1 || number > head.revision()) {
      throw new RuleBookProblem.NoSuchRevision(number, head.revision());
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
