package io.headgate.server.rules.database;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** Tells whether a rules database can be opened, without creating or migrating it. */
public final class DatabaseProbe {
  private DatabaseProbe() {}

  /** The state of a rules database. */
  public sealed interface Result {
    /** The database can be opened. {@code product} is its name and version. */
    record Available(String product) implements Result {}

    /** The file of the database does not exist yet; the first start creates it. */
    record NotCreated() implements Result {}

    /** Another process has the file open. */
    record InUse() implements Result {}

    /** The database can't be opened. The reason contains no credentials. */
    record Unavailable(String reason) implements Result {}
  }

  /**
   * Returns whether another process has the file of an embedded database open, by the lock that H2
   * holds on it. A process that has opened the file itself gets false.
   */
  static boolean isOpenElsewhere(DatabaseAddress address) {
    if (address.file().isEmpty()) return false;
    var file = Path.of(address.file().get() + ".mv.db");
    try (var channel = FileChannel.open(file, StandardOpenOption.WRITE);
        var lock = channel.tryLock()) {
      return lock == null;
    } catch (IOException | OverlappingFileLockException e) {
      return false; // Opening the database reports the reason.
    }
  }

  /** Opens a connection and closes it. Takes a few seconds at most. */
  public static Result probe(DatabaseAddress address) {
    boolean exists =
        address.file().map(file -> Files.exists(Path.of(file + ".mv.db"))).orElse(true);
    if (!exists) return new Result.NotCreated();
    var properties = new Properties();
    properties.setProperty("user", address.user());
    properties.setProperty("password", address.password());
    if (!address.isEmbedded()) {
      properties.setProperty("connectTimeout", "2");
      properties.setProperty("loginTimeout", "2");
      properties.setProperty("socketTimeout", "5");
    }
    String url = address.isEmbedded() ? address.jdbc() + ";IFEXISTS=TRUE" : address.jdbc();
    try (var connection = DriverManager.getConnection(url, properties)) {
      var product = connection.getMetaData();
      return new Result.Available(
          product.getDatabaseProductName() + " " + product.getDatabaseProductVersion());
    } catch (SQLException e) {
      return Database.isInUse(e) ? new Result.InUse() : new Result.Unavailable(Database.reason(e));
    }
  }
}
