package io.headgate.server.rules.database;

import java.util.concurrent.atomic.AtomicInteger;

class H2RuleRepositoryTest extends DatabaseRuleRepositoryContract {
  private final AtomicInteger files = new AtomicInteger();

  @Override
  DatabaseAddress database() {
    return DatabaseAddress.parse("h2:deep/er/rules" + files.incrementAndGet(), folder);
  }
}
