package io.headgate.server.rules.database;

class PostgresRuleBookTest extends DatabaseRuleRepositoryContract {
  @Override
  DatabaseAddress database() {
    return DatabaseAddress.parse(PostgresServer.shared().newDatabase(), folder);
  }
}
