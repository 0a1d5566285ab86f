package io.headgate.server.rules.database;

import io.headgate.testkit.ExitHooks;
import io.headgate.testkit.ScratchDirectory;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** A real PostgreSQL server on a free port. Stopped at the exit of the JVM at the latest. */
public final class PostgresServer implements AutoCloseable {
  private static final AtomicInteger DATABASES = new AtomicInteger();

  /** The server shared by tests that do not stop it. */
  private static final class Shared {
    static final PostgresServer SERVER = start();
  }

  private final ScratchDirectory folder = ScratchDirectory.create("headgate-postgres");
  private EmbeddedPostgres server;
  private int port;

  private PostgresServer() {
    this.server = launch();
    this.port = server.getPort();
  }

  static PostgresServer shared() {
    return Shared.SERVER;
  }

  public static PostgresServer start() {
    var server = new PostgresServer();
    ExitHooks.closeAtExit(server);
    return server;
  }

  private EmbeddedPostgres launch() {
    try {
      var builder =
          EmbeddedPostgres.builder()
              .setDataDirectory(folder.resolve("data"))
              .setCleanDataDirectory(false)
              .setServerConfig("fsync", "off")
              .setRegisterShutdownHook(false) // ExitHooks stops it before deleting its files
              .setPGStartupWait(Duration.ofSeconds(60));
      if (port > 0) builder.setPort(port);
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Creates an empty database and returns its address. */
  public String newDatabase() {
    String name = "headgate" + DATABASES.incrementAndGet();
    run("CREATE DATABASE " + name);
    return "postgresql://postgres:s3cret@localhost:%d/%s".formatted(port, name);
  }

  private void run(String statement) {
    try (var connection = server.getPostgresDatabase().getConnection();
        var sql = connection.createStatement()) {
      sql.execute(statement);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Stops the process. The data stays on disk. */
  public void stop() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts the server again with the same data and port. */
  public void restart() {
    server = launch();
  }

  @Override
  public void close() {
    stop();
    folder.close();
    ExitHooks.remove(this);
  }
}
