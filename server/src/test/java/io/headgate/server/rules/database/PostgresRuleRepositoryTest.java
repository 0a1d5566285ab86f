package io.headgate.server.rules.database;

class PostgresRuleRepositoryTest extends DatabaseRuleRepositoryContract {
  @Override
  DatabaseAddress database() {
    return DatabaseAddress.parse(PostgresServer.shared().newDatabase(), folder);
  }
}
