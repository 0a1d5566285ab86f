package io.headgate.server.cli.doctor;

import io.headgate.server.rules.database.DatabaseAddress;
import io.headgate.server.rules.database.DatabaseProbe;
import io.headgate.server.rules.database.DatabaseProbe.Result.Available;
import io.headgate.server.rules.database.DatabaseProbe.Result.InUse;
import io.headgate.server.rules.database.DatabaseProbe.Result.NotCreated;
import io.headgate.server.rules.database.DatabaseProbe.Result.Unavailable;

/** Checks that the rules database can be opened. */
public final class DatabaseCheck {
  private static final String TOPIC = "database";

  private DatabaseCheck() {}

  /**
   * Checks a database.
   *
   * @param running whether a service is running here, which then has the file of the database open
   */
  public static Finding of(DatabaseAddress address, boolean running) {
    String name = address.displayName();
    return switch (DatabaseProbe.probe(address)) {
      case Available(var product) -> Finding.ok(TOPIC, "%s, %s".formatted(name, product));
      case NotCreated() -> Finding.ok(TOPIC, name + ", created by the first start");
      case InUse() when running -> Finding.ok(TOPIC, name + ", open in the running service");
      case InUse() ->
          Finding.problem(
              TOPIC,
              name + " is open in another process",
              "stop that process, use a separate directory with --data, or share a PostgreSQL"
                  + " database with --database postgresql://…");
      case Unavailable(var reason) ->
          Finding.problem(
              TOPIC,
              "%s can't be opened: %s".formatted(name, reason),
              "start the database, or correct --database; without it rules can't be changed");
    };
  }
}
