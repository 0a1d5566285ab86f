package io.headgate.server.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.server.rules.RuleRepositoryException;
import java.nio.file.Files;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class H2RuleRepositoryTest extends DatabaseRuleRepositoryContract {
  private static final String MIGRATIONS = "classpath:io/headgate/server/rules/database";

  private final AtomicInteger files = new AtomicInteger();

  @Override
  DatabaseAddress database() {
    return DatabaseAddress.parse("h2:deep/er/rules" + files.incrementAndGet(), folder);
  }

  /** H2 commits every CREATE TABLE by itself, so a killed process leaves some of the tables. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void killedFirstStartIsRepeated(boolean failureRecorded) throws Exception {
    var address = database();
    execute(address, "CREATE TABLE headgate_head (one INTEGER PRIMARY KEY)");
    if (failureRecorded) {
      var flyway = flyway(address);
      assertThatThrownBy(flyway::migrate).isInstanceOf(FlywayException.class);
      assertThatThrownBy(flyway::migrate).hasMessageContaining("Detected failed migration");
    }
    try (var repository = openAt(address)) {
      assertThat(repository.inForce().number()).isEqualTo(1);
    }
  }

  @Test
  void tablesWithRulesAreKeptThoughTheirHistoryIsLost() throws Exception {
    var address = database();
    openAt(address).close();
    Files.delete(folder.resolve("given.json"));
    execute(address, "DROP TABLE \"headgate_schema_history\"");
    assertThatThrownBy(() -> openAt(address))
        .isInstanceOf(RuleRepositoryException.Unavailable.class);
    try (var connection = DriverManager.getConnection(address.jdbc(), address.user(), "");
        var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT COUNT(*) FROM headgate_rules")) {
      rows.next();
      assertThat(rows.getInt(1)).isEqualTo(1);
    }
  }

  private static void execute(DatabaseAddress address, String sql) throws SQLException {
    try (var connection = DriverManager.getConnection(address.jdbc(), address.user(), "");
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Flyway flyway(DatabaseAddress address) {
    return Flyway.configure()
        .dataSource(address.jdbc(), address.user(), "")
        .locations(MIGRATIONS)
        .table("headgate_schema_history")
        .baselineOnMigrate(true)
        .baselineVersion("0")
        .load();
  }
}
