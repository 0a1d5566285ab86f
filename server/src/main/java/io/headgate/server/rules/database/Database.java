package io.headgate.server.rules.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.headgate.server.files.PrivateFiles;
import io.headgate.server.rules.RuleRepositoryException.Away;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.statement.SqlStatements;

/** Connections to a database, which may be away. Whoever asks waits for seconds at the most. */
final class Database implements AutoCloseable {
  private static final int H2_FILE_IN_USE = 90020;
  private static final int CONNECTING_MILLIS = 2_000;
  private static final int ANSWERING_SECONDS = 8;
  private static final int MIGRATIONS = 5;

  private final DatabaseAddress address;
  private final HikariDataSource pool;
  private final Jdbi jdbi;
  private final ReentrantLock migrating = new ReentrantLock();
  private volatile boolean migrated;

  Database(DatabaseAddress address) {
    this.address = address;
    try {
      makeFiles(address); // before the pool, whose thread would have H2 make them for all to read
    } catch (SQLException e) {
      // The first use tries again, and reports it.
    }
    this.pool = new HikariDataSource(config(address));
    this.jdbi = Jdbi.create(pool);
    jdbi.getConfig(SqlStatements.class).setQueryTimeout(ANSWERING_SECONDS);
  }

  private static HikariConfig config(DatabaseAddress address) {
    var config = new HikariConfig();
    config.setPoolName("headgate-rules");
    config.setJdbcUrl(address.jdbc());
    config.setUsername(address.user());
    config.setPassword(address.password());
    config.setMaximumPoolSize(4);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(CONNECTING_MILLIS);
    config.setValidationTimeout(1_000);
    config.setInitializationFailTimeout(-1); // it may come later
    if (!address.isEmbedded()) {
      config.addDataSourceProperty("connectTimeout", "2");
      config.addDataSourceProperty("loginTimeout", "2");
      config.addDataSourceProperty("socketTimeout", Integer.toString(ANSWERING_SECONDS + 2));
      config.addDataSourceProperty("tcpKeepAlive", "true");
      config.addDataSourceProperty("reWriteBatchedInserts", "true");
      config.addDataSourceProperty("ApplicationName", "headgate");
      config.setConnectionInitSql("SET lock_timeout = 5000");
    }
    return config;
  }

  String place() {
    return address.place();
  }

  /**
   * Asks, or changes something without a transaction of its own.
   *
   * @throws Away if there is no answer
   */
  <T> T ask(HandleCallback<T, SQLException> question) {
    try {
      migrate();
      return jdbi.withHandle(question);
    } catch (JdbiException | FlywayException | SQLException e) {
      throw problem(e, "changes of the rules must wait until it is back");
    }
  }

  /**
   * Does all of it or nothing.
   *
   * @throws Away if that can't be done, or nobody knows whether it was
   * @throws IllegalArgumentException if the database is there and refuses what it is given
   */
  <T> T atOnce(HandleCallback<T, SQLException> change) {
    var done = new boolean[1];
    try {
      migrate();
      return jdbi.inTransaction(handle -> {
        var result = change.withHandle(handle);
        done[0] = true;
        return result;
      });
    } catch (JdbiException | FlywayException | SQLException e) {
      throw problem(
          e,
          done[0]
              ? "it was lost while the change was being completed, so look at the history whether"
                  + " it was made"
              : "nothing was changed; try again when it is back");
    }
  }

  /** The tables are made or brought up to date by the first who gets through. */
  private void migrate() throws SQLException {
    if (migrated) return;
    try {
      if (!migrating.tryLock(CONNECTING_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new SQLException("it has not answered yet");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted", e);
    }
    try {
      if (!migrated) makeTables();
      migrated = true;
    } finally {
      migrating.unlock();
    }
  }

  /**
   * If it is away, this says so better than Flyway. A file is opened by the first connection, which
   * takes as long as it takes on a busy machine, and says at once if another process has it: a pool
   * would lose patience in the one case and try again in the other.
   */
  private void reach() throws SQLException {
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

  private void makeTables() throws SQLException {
    makeFiles(address);
    reach();
    var flyway =
        Flyway.configure()
            .dataSource(pool)
            .locations("classpath:io/headgate/server/rules/database")
            .table("headgate_schema_history")
            .baselineOnMigrate(true) // others may have tables there
            .baselineVersion("0")
            .load();
    for (int tries = 1; ; tries++) {
      try {
        flyway.migrate();
        break;
      } catch (FlywayException e) {
        if (tries == MIGRATIONS) throw e; // instances that start together get in each other's way
      }
    }
    jdbi.useHandle(Database::begin);
  }

  private static void begin(Handle handle) {
    try {
      RuleDao.begin(handle);
    } catch (JdbiException e) {
      if (RuleDao.head(handle).isEmpty()) throw e; // somebody else was faster
    }
  }

  private static void makeFiles(DatabaseAddress address) throws SQLException {
    if (address.file().isEmpty()) return;
    try {
      var file = address.file().get();
      // A directory that an address names may be used for more.
      PrivateFiles.makeDirectory(Objects.requireNonNull(file.getParent()), false);
      // H2 opens an empty file as a new database.
      PrivateFiles.makeFile(Path.of(file + ".mv.db"));
      PrivateFiles.tighten(Path.of(file + ".trace.db"));
    } catch (IOException e) {
      throw new SQLException("its directory can't be made: " + e, e);
    }
  }

  private RuntimeException problem(Exception e, String consequence) {
    if (isInUse(e)) return new Away(inUse(), e);
    if (isOfData(e)) {
      return new IllegalArgumentException(
          "the database of rules, %s, refuses this (%s)".formatted(place(), reason(e)), e);
    }
    return new Away(
        "the database of rules, %s, can't be asked (%s); the rules in force stay so, and %s"
            .formatted(place(), reason(e), consequence),
        e);
  }

  private String inUse() {
    return "another process has the database of rules, "
        + place()
        + ", open; give this one a directory of its own with --data, or let all share a PostgreSQL"
        + " with --database postgresql://…";
  }

  /** Whether trying again is of no use, by the classes of SQL states. */
  private static boolean isOfData(Throwable e) {
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

  /** The innermost has the reason; those around it say that there was one. */
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
