package io.headgate.server.cli;

import java.util.function.Supplier;

/** Runs commands that read rules; an error response of the service fails the command. */
final class RuleReads {
  /**
   * Runs a command and returns its exit code.
   *
   * @throws CommandFailure if the service rejects a request
   */
  static int of(Supplier<Integer> command) {
    try {
      return command.get();
    } catch (RulesApiClient.RejectedException e) {
      throw e.asFailure();
    }
  }

  private RuleReads() {}
}
