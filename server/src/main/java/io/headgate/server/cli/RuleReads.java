package io.headgate.server.cli;

import java.util.function.Supplier;

/** Looks at rules: whatever the service does not show is an error. */
final class RuleReads {
  static int of(Supplier<Integer> command) {
    try {
      return command.get();
    } catch (RulesApiClient.Refused e) {
      throw e.asFailure();
    }
  }

  private RuleReads() {}
}
