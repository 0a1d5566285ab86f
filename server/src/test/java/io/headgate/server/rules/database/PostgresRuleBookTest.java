package io.headgate.server.rules.database;

class PostgresRuleBookTest extends DatabaseRuleBookContract {
  @Override
  DatabaseAddress database() {
    return DatabaseAddress.parse(PostgresServer.shared().newDatabase(), folder);
  }
}
