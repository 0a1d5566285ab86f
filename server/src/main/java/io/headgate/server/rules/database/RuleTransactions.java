package io.headgate.server.rules.database;

import static java.util.Objects.requireNonNull;

import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.ExpectedRevision;
import io.headgate.server.rules.Revision;
import io.headgate.server.rules.RuleDiff;
import io.headgate.server.rules.RuleModified;
import io.headgate.server.rules.RuleRepositoryException;
import io.headgate.server.rules.RuleRevision;
import io.headgate.server.rules.RuleSnapshot;
import io.headgate.server.rules.database.RuleDao.Entry;
import io.headgate.server.rules.database.RuleDao.Head;
import io.headgate.server.rules.database.RuleDao.Row;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operations on the stored rules, each in one transaction, with an audit entry for each change.
 * Thread-safe.
 */
final class RuleTransactions {
  private static final Logger LOG = LoggerFactory.getLogger(RuleTransactions.class);
  private static final int MAX_DETAIL_LENGTH = 1_000;

  private final Database database;
  private final InstantSource clock;

  RuleTransactions(Database database, InstantSource clock) {
    this.database = database;
    this.clock = clock;
  }

  /** Produces the new rules from the latest snapshot. */
  private interface Draft {
    List<Rule> rules(Handle handle, Head head, StoredSnapshot latest);
  }

  Head head() {
    return database.query(handle -> RuleDao.head(handle).orElseThrow());
  }

  /** Returns the latest snapshot. An empty database is initialized with the seed first. */
  StoredSnapshot initialize(Seed seed) {
    var latest = head();
    if (latest.revision() > 0) return database.query(handle -> load(handle, latest, Map.of()));
    return database.inTransaction(handle -> {
      var head = RuleDao.lock(handle);
      if (head.revision() > 0) return load(handle, head, Map.of());
      var delta = RevisionDelta.of(List.of(), seed.rules().rules());
      return append(
          handle, head, delta, seed.changeInfo(), OptionalLong.empty(), "initialize the rules");
    });
  }

  /**
   * Returns the rules as of a revision.
   *
   * @param known a snapshot whose parsed rules are reused
   * @throws RuleRepositoryException.NoSuchRevision if there is no such revision
   */
  RuleSnapshot at(long number, StoredSnapshot known) {
    return database.query(handle -> {
      require(number, RuleDao.head(handle).orElseThrow());
      var rules = rules(handle, number, known.rulesByText());
      return new RuleSnapshot(RuleDao.revision(handle, number), rules);
    });
  }

  StoredSnapshot latest(StoredSnapshot known) {
    return database.query(handle -> {
      var head = RuleDao.head(handle).orElseThrow();
      requireInitialized(head);
      return known.isAt(head) ? known : load(handle, head, known.rulesByText());
    });
  }

  List<Revision> history(long before, int limit) {
    return database.query(handle -> RuleDao.revisions(handle, before, limit));
  }

  List<RuleRevision> history(String rule, long before, int limit) {
    return database.query(handle -> {
      var changes = new RuleVersions(handle, rule, before).changes(limit);
      var numbers = changes.stream().map(RuleVersions.Change::revision).toList();
      var revisions = RuleDao.revisions(handle, numbers);
      var history = new ArrayList<RuleRevision>();
      for (var change : changes) {
        var revision = requireNonNull(revisions.get(change.revision()), "a revision is missing");
        read(change.revision(), () -> RuleDiff.ofRule(rule(change.before()), rule(change.after())))
            .ifPresent(diff -> history.add(new RuleRevision(revision, diff)));
      }
      return history;
    });
  }

  private static Optional<Rule> rule(Optional<String> body) {
    return body.map(RuleFile::readRule);
  }

  Map<String, RuleModified> lastChanges() {
    return database.query(RuleDao::lastChanges);
  }

  /**
   * Result of a change.
   *
   * @param latest the latest snapshot after the change
   * @param isNew whether the change created it; false if nothing changed
   */
  record ChangeResult(StoredSnapshot latest, boolean isNew) {}

  ChangeResult change(
      StoredSnapshot known,
      ExpectedRevision expected,
      ChangeInfo changeInfo,
      UnaryOperator<List<Rule>> edit) {
    Draft draft = (handle, head, latest) -> edit.apply(latest.rules());
    String action = "change the rules";
    return audited(
        changeInfo,
        action,
        () -> apply(known, expected, changeInfo, OptionalLong.empty(), action, draft));
  }

  ChangeResult restore(
      StoredSnapshot known, long number, ExpectedRevision expected, ChangeInfo changeInfo) {
    Draft draft =
        (handle, head, latest) -> {
          require(number, head);
          return rules(handle, number, latest.rulesByText()).rules();
        };
    String action = "restore revision " + number;
    return audited(
        changeInfo,
        action,
        () -> apply(known, expected, changeInfo, OptionalLong.of(number), action, draft));
  }

  private ChangeResult apply(
      StoredSnapshot known,
      ExpectedRevision expected,
      ChangeInfo changeInfo,
      OptionalLong restored,
      String action,
      Draft draft) {
    return database.inTransaction(handle -> {
      var head = RuleDao.lock(handle);
      requireNotRestored(known, head);
      requireInitialized(head);
      expected.require(head.revision());
      var latest = known.isAt(head) ? known : load(handle, head, known.rulesByText());
      var delta = RevisionDelta.of(latest.storedRules(), draft.rules(handle, head, latest));
      if (!delta.isEmpty()) {
        return new ChangeResult(append(handle, head, delta, changeInfo, restored, action), true);
      }
      audit(handle, changeInfo, action, "unchanged", OptionalLong.of(head.revision()), "");
      return new ChangeResult(latest, false);
    });
  }

  private StoredSnapshot append(
      Handle handle,
      Head head,
      RevisionDelta delta,
      ChangeInfo changeInfo,
      OptionalLong restored,
      String action) {
    var revision =
        new Revision(
            head.revision() + 1,
            now(),
            changeInfo,
            restored,
            delta.added(),
            delta.changed(),
            delta.removed(),
            delta.rules().size());
    var tag = RuleDao.newTag();
    var snapshot =
        StoredSnapshot.of(
            // compiled before it is written, since the rules may be invalid
            head.repositoryId(), tag, revision, delta.rules());
    RuleDao.append(handle, revision, tag, delta);
    var number = OptionalLong.of(revision.number());
    audit(handle, changeInfo, action, "accepted", number, changeInfo.message());
    return snapshot;
  }

  private ChangeResult audited(
      ChangeInfo changeInfo, String action, Supplier<ChangeResult> change) {
    try {
      var result = change.get();
      LOG.info(
          "rules: request by {} to {} succeeded; the latest revision is {}",
          changeInfo.author(),
          action,
          result.latest().number());
      return result;
    } catch (RuleRepositoryException.Unavailable e) {
      LOG.warn(
          "rules: request by {} to {} failed: {}", changeInfo.author(), action, e.getMessage());
      throw e;
    } catch (RuntimeException e) {
      String reason = detail(String.valueOf(e.getMessage()));
      LOG.warn("rules: request by {} to {} refused: {}", changeInfo.author(), action, reason);
      auditRefusal(changeInfo, action, reason);
      throw e;
    }
  }

  /**
   * Writes the audit entry of a refused change. The transaction of the change itself was rolled
   * back, and its audit entry with it.
   */
  private void auditRefusal(ChangeInfo changeInfo, String action, String reason) {
    try {
      database.query(handle -> {
        audit(handle, changeInfo, action, "refused", OptionalLong.empty(), reason);
        return true;
      });
    } catch (RuleRepositoryException.Unavailable | IllegalArgumentException e) {
      LOG.warn(
          "rules: the audit entry of the refused request could not be written: {}", e.getMessage());
    }
  }

  private void audit(
      Handle handle,
      ChangeInfo changeInfo,
      String action,
      String outcome,
      OptionalLong revision,
      String detail) {
    RuleDao.audit(
        handle, new Entry(now(), changeInfo.author(), action, outcome, revision, detail(detail)));
  }

  private StoredSnapshot load(Handle handle, Head head, Map<String, Rule> known) {
    long number = head.revision();
    var revision = RuleDao.revision(handle, number);
    var rows = RuleDao.rows(handle, number);
    return read(
        number,
        () ->
            StoredSnapshot.of(head.repositoryId(), head.tag(), revision, storedRules(rows, known)));
  }

  private RuleSet rules(Handle handle, long number, Map<String, Rule> known) {
    var rows = RuleDao.rows(handle, number);
    return read(
        number, () -> RuleSet.of(storedRules(rows, known).stream().map(StoredRule::rule).toList()));
  }

  private static List<StoredRule> storedRules(List<Row> rows, Map<String, Rule> known) {
    return rows.stream().map(row -> StoredRule.read(row.sortKey(), row.body(), known)).toList();
  }

  /**
   * Parses stored rules. A newer version of Headgate may have written rules this version cannot
   * read.
   */
  private <T> T read(long number, Supplier<T> rules) {
    try {
      return rules.get();
    } catch (RuntimeException e) {
      throw new RuleRepositoryException.Unavailable(
          "revision %d in the rules database %s cannot be read by this version of Headgate (%s);"
                  .formatted(number, database.displayName(), detail(String.valueOf(e.getMessage())))
              + " the current rules stay in force; upgrade this instance if a newer version wrote it",
          e);
    }
  }

  /**
   * Requires that the database was not restored to an earlier state. Its rules could not be
   * activated, since revisions never go backwards.
   *
   * @throws RuleRepositoryException.Unavailable if the active snapshot is not part of the history
   *     of the database
   */
  static void requireNotRestored(StoredSnapshot current, Head head) {
    if (!current.isPast(head)) return;
    String other = head.revision() == current.number() ? "another revision" : "revision";
    throw new RuleRepositoryException.Unavailable(
        "the rules database is at %s %d, but revision %d is in force: the database was restored;"
                .formatted(other, head.revision(), current.number())
            + " restart Headgate to load its rules; until then this instance accepts no changes",
        null);
  }

  /**
   * Requires that the database has a first revision. It has none if it becomes available for the
   * first time while an instance runs from a snapshot file.
   */
  private void requireInitialized(Head head) {
    if (head.revision() > 0) return;
    throw new RuleRepositoryException.Unavailable(
        "the rules database %s is not initialized yet; retry".formatted(database.displayName()),
        null);
  }

  private static void require(long number, Head head) {
    if (number < 1 || number > head.revision()) {
      throw new RuleRepositoryException.NoSuchRevision(number, head.revision());
    }
  }

  /**
   * Returns the time in microseconds, the precision of the database, so that it is the same when
   * read back.
   */
  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  private static String detail(String text) {
    String line = text.replaceAll("\\p{Cntrl}+", " ").strip();
    return line.length() > MAX_DETAIL_LENGTH
        ? line.substring(0, MAX_DETAIL_LENGTH - 1) + "…"
        : line;
  }
}
