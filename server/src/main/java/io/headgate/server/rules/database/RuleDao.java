package io.headgate.server.rules.database;

import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.Revision;
import io.headgate.server.rules.RuleModified;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.statement.StatementContext;

/** The SQL statements. {@link RuleTransactions} combines them into transactions. */
final class RuleDao {
  /** The tables, each before those that it refers to. */
  static final List<String> TABLES =
      List.of("headgate_rules", "headgate_revisions", "headgate_head", "headgate_audit");

  /**
   * The current position of a repository.
   *
   * @param repositoryId identifies the database
   * @param revision the latest revision, 0 if there is none
   * @param tag unique to each revision
   */
  record Head(String repositoryId, long revision, String tag) {}

  /** A stored rule. */
  record Row(long sortKey, String body) {}

  /** An audit entry: an attempted change and its outcome. */
  record Entry(
      Instant at,
      String author,
      String action,
      String outcome,
      OptionalLong revision,
      String detail) {}

  /** Inserts the single row of the head table if it is missing. */
  static void insertHead(Handle handle) {
    handle
        .createUpdate(
            "INSERT INTO headgate_head (one, book, revision, tag)"
                + " SELECT 1, :book, 0, :tag WHERE NOT EXISTS (SELECT 1 FROM headgate_head)")
        .bind("book", UUID.randomUUID().toString())
        .bind("tag", newTag())
        .execute();
  }

  static String newTag() {
    return UUID.randomUUID().toString();
  }

  static Optional<Head> head(Handle handle) {
    return head(handle, "");
  }

  /** Returns the head and locks it until the transaction ends, which serializes all changes. */
  static Head lock(Handle handle) {
    return head(handle, " FOR UPDATE").orElseThrow();
  }

  private static Optional<Head> head(Handle handle, String lock) {
    return handle
        .createQuery("SELECT book, revision, tag FROM headgate_head WHERE one = 1" + lock)
        .map((row, context) ->
            new Head(row.getString("book"), row.getLong("revision"), row.getString("tag")))
        .findOne();
  }

  static Revision revision(Handle handle, long number) {
    return handle
        .createQuery("SELECT * FROM headgate_revisions WHERE revision = :number")
        .bind("number", number)
        .map(RuleDao::revision)
        .one();
  }

  static List<Revision> revisions(Handle handle, long before, int limit) {
    return handle
        .createQuery(
            "SELECT * FROM headgate_revisions WHERE revision < :before"
                + " ORDER BY revision DESC LIMIT :limit")
        .bind("before", before)
        .bind("limit", limit)
        .map(RuleDao::revision)
        .list();
  }

  /** Returns the revisions with these numbers, by number. */
  static Map<Long, Revision> revisions(Handle handle, List<Long> numbers) {
    if (numbers.isEmpty()) return Map.of();
    var revisions = new HashMap<Long, Revision>();
    handle
        .createQuery("SELECT * FROM headgate_revisions WHERE revision IN (<numbers>)")
        .bindList("numbers", numbers)
        .map(RuleDao::revision)
        .forEach(revision -> revisions.put(revision.number(), revision));
    return revisions;
  }

  /** A version of a rule, in force from one revision until another. */
  record Version(long since, OptionalLong until, String body) {}

  /** Returns the versions of a rule that began before a revision, the newest first. */
  static List<Version> versions(Handle handle, String id, long before, int limit) {
    return handle
        .createQuery(
            "SELECT since_revision, until_revision, body FROM headgate_rules"
                + " WHERE id = :id AND since_revision < :before"
                + " ORDER BY since_revision DESC LIMIT :limit")
        .bind("id", id)
        .bind("before", before)
        .bind("limit", limit)
        .map((row, context) -> {
          long until = row.getLong("until_revision"); // 0 if it is null
          return new Version(
              row.getLong("since_revision"),
              until == 0 ? OptionalLong.empty() : OptionalLong.of(until),
              row.getString("body"));
        })
        .list();
  }

  /**
   * Returns the last change of each current rule. A version with the body of the one that it
   * follows only has another position.
   */
  static Map<String, RuleModified> lastChanges(Handle handle) {
    var changes = new HashMap<String, RuleModified>();
    handle
        .createQuery(
            "SELECT changed.id, changed.revision, headgate_revisions.made_at FROM"
                + " (SELECT version.id AS id, MAX(version.since_revision) AS revision"
                + " FROM headgate_rules version"
                + " WHERE EXISTS (SELECT 1 FROM headgate_rules latest"
                + " WHERE latest.id = version.id AND latest.until_revision IS NULL)"
                + " AND NOT EXISTS (SELECT 1 FROM headgate_rules previous"
                + " WHERE previous.id = version.id"
                + " AND previous.until_revision = version.since_revision"
                + " AND previous.body = version.body)"
                + " GROUP BY version.id) changed"
                + " JOIN headgate_revisions ON headgate_revisions.revision = changed.revision")
        .map((row, context) -> {
          var at = row.getObject("made_at", OffsetDateTime.class).toInstant();
          return Map.entry(row.getString("id"), new RuleModified(row.getLong("revision"), at));
        })
        .forEach(entry -> changes.put(entry.getKey(), entry.getValue()));
    return changes;
  }

  /** Returns the rules as of a revision. They never change once stored. */
  static List<Row> rows(Handle handle, long number) {
    return handle
        .createQuery(
            "SELECT place, body FROM headgate_rules WHERE since_revision <= :number"
                + " AND (until_revision IS NULL OR until_revision > :number) ORDER BY place")
        .bind("number", number)
        .map((row, context) -> new Row(row.getLong("place"), row.getString("body")))
        .list();
  }

  static void append(Handle handle, Revision revision, String tag, RevisionDelta delta) {
    insert(handle, revision);
    if (!delta.ended().isEmpty()) {
      var batch =
          handle.prepareBatch(
              "UPDATE headgate_rules SET until_revision = :number"
                  + " WHERE id = :id AND until_revision IS NULL");
      for (var id : delta.ended()) {
        batch.bind("number", revision.number()).bind("id", id).add();
      }
      batch.execute();
    }
    if (!delta.written().isEmpty()) {
      var batch =
          handle.prepareBatch(
              "INSERT INTO headgate_rules (id, since_revision, place, body)"
                  + " VALUES (:id, :number, :place, :body)");
      for (var line : delta.written()) {
        batch
            .bind("id", line.id())
            .bind("number", revision.number())
            .bind("place", line.sortKey())
            .bind("body", line.body())
            .add();
      }
      batch.execute();
    }
    handle
        .createUpdate("UPDATE headgate_head SET revision = :number, tag = :tag WHERE one = 1")
        .bind("tag", tag)
        .bind("number", revision.number())
        .execute();
  }

  private static void insert(Handle handle, Revision revision) {
    handle
        .createUpdate(
            "INSERT INTO headgate_revisions"
                + " (revision, made_at, author, message, seed, restored, added, changed, removed,"
                + " rules)"
                + " VALUES (:number, :at, :author, :message, :seed, :restored, :added, :changed, :removed,"
                + " :rules)")
        .bind("number", revision.number())
        .bind("at", time(revision.at()))
        .bind("author", revision.changeInfo().author())
        .bind("message", revision.changeInfo().message())
        .bind("seed", revision.changeInfo().isSeed())
        .bind("restored", number(revision.restored()))
        .bind("added", revision.added())
        .bind("changed", revision.changed())
        .bind("removed", revision.removed())
        .bind("rules", revision.rules())
        .execute();
  }

  static void audit(Handle handle, Entry entry) {
    handle
        .createUpdate(
            "INSERT INTO headgate_audit (happened_at, author, action, outcome, revision, detail)"
                + " VALUES (:at, :author, :action, :outcome, :revision, :detail)")
        .bind("at", time(entry.at()))
        .bind("author", entry.author())
        .bind("action", entry.action())
        .bind("outcome", entry.outcome())
        .bind("revision", number(entry.revision()))
        .bind("detail", entry.detail())
        .execute();
  }

  private static Revision revision(ResultSet row, StatementContext context) throws SQLException {
    long restored = row.getLong("restored");
    return new Revision(
        row.getLong("revision"),
        row.getObject("made_at", OffsetDateTime.class).toInstant(),
        new ChangeInfo(row.getString("author"), row.getString("message"), row.getBoolean("seed")),
        restored == 0 ? OptionalLong.empty() : OptionalLong.of(restored),
        row.getInt("added"),
        row.getInt("changed"),
        row.getInt("removed"),
        row.getInt("rules"));
  }

  /** Binds a point in time independently of the time zones of the JVM and the session. */
  private static Argument time(Instant at) {
    var time = OffsetDateTime.ofInstant(at, ZoneOffset.UTC);
    return (position, statement, context) -> statement.setObject(position, time);
  }

  private static Argument number(OptionalLong number) {
    return (position, statement, context) -> {
      if (number.isPresent()) statement.setLong(position, number.getAsLong());
      else statement.setNull(position, Types.BIGINT);
    };
  }

  private RuleDao() {}
}
