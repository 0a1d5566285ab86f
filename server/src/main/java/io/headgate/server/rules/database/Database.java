package io.headgate.server.rules.database;

import static java.util.Comparator.naturalOrder;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.headgate.server.files.PrivateFiles;
import io.headgate.server.rules.RuleRepositoryException.Unavailable;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationState;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.statement.SqlStatements;

/**
 * Pooled access to the rules database, which may be unavailable. Every operation waits for a few
 * seconds at most. Thread-safe.
 */
final class Database implements AutoCloseable {
  private static final int H2_FILE_IN_USE = 90020;
  private static final int CONNECT_TIMEOUT_MILLIS = 2_000;
  private static final int QUERY_TIMEOUT_SECONDS = 8;
  private static final int MAX_MIGRATION_ATTEMPTS = 5;

  /**
   * Serializes the migrations of embedded databases, which only this process can have open. H2
   * commits every CREATE TABLE by itself, so that two migrations at once would both create the
   * tables, and the second would record a failure that stops every later start. PostgreSQL needs no
   * lock: Flyway takes an advisory lock there, and a failed migration is rolled back.
   */
  private static final ReentrantLock EMBEDDED_MIGRATIONS = new ReentrantLock();

  /** The states of migrations that this version does not have. */
  private static final Set<MigrationState> NEWER =
      EnumSet.of(MigrationState.FUTURE_SUCCESS, MigrationState.FUTURE_FAILED);

  private static final Set<MigrationState> COMPLETED =
      EnumSet.of(MigrationState.SUCCESS, MigrationState.FUTURE_SUCCESS);

  private final DatabaseAddress address;
  private final HikariDataSource pool;
  private final Jdbi jdbi;
  private final ReentrantLock migrationLock = new ReentrantLock();
  private volatile boolean migrated;

  Database(DatabaseAddress address) {
    this.address = address;
    try {
      // before the pool starts: its thread would let H2 create world-readable files
      createFiles(address);
    } catch (SQLException e) {
      // The first use retries, and reports the failure.
    }
    this.pool = new HikariDataSource(config(address));
    this.jdbi = Jdbi.create(pool);
    jdbi.getConfig(SqlStatements.class).setQueryTimeout(QUERY_TIMEOUT_SECONDS);
  }

  private static HikariConfig config(DatabaseAddress address) {
    var config = new HikariConfig();
    config.setPoolName("headgate-rules");
    config.setJdbcUrl(address.jdbc());
    config.setUsername(address.user());
    config.setPassword(address.password());
    config.setMaximumPoolSize(4);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(CONNECT_TIMEOUT_MILLIS);
    config.setValidationTimeout(1_000);
    config.setInitializationFailTimeout(-1); // the database may become available later
    if (!address.isEmbedded()) {
      config.addDataSourceProperty("connectTimeout", "2");
      config.addDataSourceProperty("loginTimeout", "2");
      config.addDataSourceProperty("socketTimeout", Integer.toString(QUERY_TIMEOUT_SECONDS + 2));
      config.addDataSourceProperty("tcpKeepAlive", "true");
      config.addDataSourceProperty("reWriteBatchedInserts", "true");
      config.addDataSourceProperty("ApplicationName", "headgate");
      config.setConnectionInitSql("SET lock_timeout = 5000");
    }
    return config;
  }

  /** Returns whether other instances can use the database; an embedded one serves one process. */
  boolean isShared() {
    return address.file().isEmpty();
  }

  String displayName() {
    return address.displayName();
  }

  /**
   * Runs a query, or a change that needs no transaction of its own.
   *
   * @throws Unavailable if the database does not respond
   */
  <T> T query(HandleCallback<T, SQLException> callback) {
    try {
      migrate();
      return jdbi.withHandle(callback);
    } catch (JdbiException | FlywayException | SQLException e) {
      throw problem(e, "rules cannot be changed until it is available again");
    }
  }

  /**
   * Runs a change in a transaction.
   *
   * @throws Unavailable if the change fails, or if its outcome is unknown because the connection
   *     was lost during the commit
   * @throws IllegalArgumentException if the database rejects the data
   */
  <T> T inTransaction(HandleCallback<T, SQLException> change) {
    var committing = new boolean[1];
    try {
      migrate();
      return jdbi.inTransaction(handle -> {
        var result = change.withHandle(handle);
        committing[0] = true;
        return result;
      });
    } catch (JdbiException | FlywayException | SQLException e) {
      throw problem(
          e,
          committing[0]
              ? "the connection was lost during the commit, so check the history to see whether the"
                  + " change was made"
              : "nothing was changed; retry when it is available again");
    }
  }

  /** Creates or upgrades the tables. Done once, by the first thread that reaches the database. */
  private void migrate() throws SQLException {
    if (migrated) return;
    lock(migrationLock, CONNECT_TIMEOUT_MILLIS);
    try {
      if (!migrated) createTables();
      migrated = true;
    } finally {
      migrationLock.unlock();
    }
  }

  private static void lock(ReentrantLock lock, int timeoutMillis) throws SQLException {
    try {
      if (!lock.tryLock(timeoutMillis, TimeUnit.MILLISECONDS)) {
        throw new SQLException("no response yet");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted", e);
    }
  }

  /**
   * Opens a connection first, since its error message is clearer than Flyway's. The first
   * connection to an H2 file opens the file. That may take long on a busy machine, and fails at
   * once if another process has the file open. A pool would time out in the first case and retry in
   * the second, so this connection bypasses the pool.
   */
  private void connect() throws SQLException {
    if (!address.isEmbedded()) {
      jdbi.useHandle(handle -> {});
      return;
    }
    var first = DriverManager.getConnection(address.jdbc(), address.user(), address.password());
    try {
      jdbi.useHandle(handle -> {});
    } finally {
      first.close();
    }
  }

  private void createTables() throws SQLException {
    createFiles(address);
    connect();
    var flyway =
        Flyway.configure()
            .dataSource(pool)
            .locations("classpath:io/headgate/server/rules/database")
            .table("headgate_schema_history")
            .baselineOnMigrate(true) // other applications may have tables in this schema
            .baselineVersion("0")
            .load();
    if (!address.isEmbedded()) {
      migrate(flyway);
    } else {
      lock(EMBEDDED_MIGRATIONS, QUERY_TIMEOUT_SECONDS * 1_000);
      try {
        dropPartialTables(flyway);
        migrate(flyway);
      } finally {
        EMBEDDED_MIGRATIONS.unlock();
      }
    }
    jdbi.useHandle(Database::insertHead);
  }

  private static void migrate(Flyway flyway) throws SQLException {
    for (int tries = 1; ; tries++) {
      try {
        requireKnownSchema(flyway);
        flyway.migrate();
        break;
      } catch (FlywayException e) {
        if (tries == MAX_MIGRATION_ATTEMPTS) throw e; // instances that start together may collide
      }
    }
  }

  /**
   * Drops the tables of a first start that was killed before it had created all of them. Tables of
   * a completed start are kept, and so are tables that hold a head, whatever Flyway's history says.
   */
  private void dropPartialTables(Flyway flyway) {
    boolean completed =
        Stream.of(flyway.info().applied())
            .anyMatch(migration -> COMPLETED.contains(migration.getState()));
    if (completed) return;
    jdbi.useHandle(handle -> {
      if (hasHead(handle)) return;
      for (var table : RuleDao.TABLES) handle.execute("DROP TABLE IF EXISTS " + table);
    });
    flyway.repair(); // removes the recorded failure
  }

  private static boolean hasHead(Handle handle) {
    try {
      return RuleDao.head(handle).isPresent();
    } catch (JdbiException e) {
      return false; // The table is missing, or is not complete.
    }
  }

  /**
   * Requires that no newer version of Headgate has migrated the tables. Flyway would only log that,
   * and this version would read and write tables that it does not know.
   *
   * @throws NewerSchemaException if one has
   */
  private static void requireKnownSchema(Flyway flyway) throws NewerSchemaException {
    var info = flyway.info();
    var newer =
        Stream.of(info.applied())
            .filter(migration -> NEWER.contains(migration.getState()))
            .map(MigrationInfo::getVersion)
            .max(naturalOrder());
    if (newer.isEmpty()) return;
    var known =
        Stream.of(info.all())
            .filter(migration -> !NEWER.contains(migration.getState()))
            .map(MigrationInfo::getVersion)
            .max(naturalOrder());
    throw new NewerSchemaException(newer.get().toString(), known.orElseThrow().toString());
  }

  private static void insertHead(Handle handle) {
    try {
      RuleDao.insertHead(handle);
    } catch (JdbiException e) {
      if (RuleDao.head(handle).isEmpty()) throw e; // inserted concurrently by another instance
    }
  }

  private static void createFiles(DatabaseAddress address) throws SQLException {
    if (address.file().isEmpty()) return;
    try {
      var file = address.file().get();
      // The directory of a given address may be used by other applications as well.
      PrivateFiles.makeDirectory(Objects.requireNonNull(file.getParent()), false);
      // H2 opens an empty file as a new database.
      PrivateFiles.makeFile(Path.of(file + ".mv.db"));
      PrivateFiles.restrict(Path.of(file + ".trace.db"));
    } catch (IOException e) {
      throw new SQLException("its directory cannot be created: " + e, e);
    }
  }

  private RuntimeException problem(Exception e, String consequence) {
    if (isInUse(e)) return new Unavailable(inUse(address), e);
    if (e instanceof NewerSchemaException newer) return new Unavailable(newerSchema(newer), e);
    if (isDataError(e)) {
      return new IllegalArgumentException(
          "the rules database %s rejected the change (%s)".formatted(displayName(), reason(e)), e);
    }
    return new Unavailable(
        "the rules database %s is unavailable (%s); the current rules stay in force, and %s"
            .formatted(displayName(), reason(e), consequence),
        e);
  }

  static String inUse(DatabaseAddress address) {
    return "the rules database "
        + address.displayName()
        + " is open in another process; use a separate directory with --data, or share a"
        + " PostgreSQL database with --database postgresql://…";
  }

  private String newerSchema(NewerSchemaException newer) {
    return ("the rules database %s has tables of version %s, which a newer Headgate made; this one"
            + " knows version %s; start the newer Headgate, or restore a backup from before its"
            + " first start")
        .formatted(displayName(), newer.found, newer.known);
  }

  /** The tables were migrated by a newer version of Headgate. */
  private static final class NewerSchemaException extends SQLException {
    private static final long serialVersionUID = 1;

    private final String found;
    private final String known;

    NewerSchemaException(String found, String known) {
      super("tables of version %s, known is version %s".formatted(found, known));
      this.found = found;
      this.known = known;
    }
  }

  /**
   * Returns whether the data caused the error, by the class of the SQL state, so that a retry is
   * pointless.
   */
  private static boolean isDataError(Throwable e) {
    for (var cause = e; cause != null; cause = cause.getCause()) {
      if (!(cause instanceof SQLException sql) || sql.getSQLState() == null) continue;
      if (sql.getSQLState().startsWith("22") || sql.getSQLState().startsWith("23")) return true;
    }
    return false;
  }

  static boolean isInUse(Throwable e) {
    for (var cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql && sql.getErrorCode() == H2_FILE_IN_USE) return true;
    }
    return false;
  }

  /**
   * Returns whether the database did not respond, rather than hold what this version can't read.
   */
  static boolean isUnreachable(Unavailable e) {
    return switch (e.getCause()) {
      case NewerSchemaException newer -> false;
      case SQLException sql -> true;
      case JdbiException jdbi -> true;
      case FlywayException flyway -> true;
      case null, default -> false;
    };
  }

  /** Returns the message of the innermost cause, which has the actual reason, on one line. */
  static String reason(Throwable e) {
    String reason = "";
    for (var cause = e; cause != null; cause = cause.getCause()) {
      if (cause.getMessage() != null) reason = cause.getMessage();
    }
    return reason.strip().replaceAll("\\s*\\R\\s*", " ");
  }

  @Override
  public void close() {
    pool.close();
  }
}
