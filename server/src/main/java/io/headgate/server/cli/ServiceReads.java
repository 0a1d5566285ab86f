package io.headgate.server.cli;

import java.util.function.Supplier;

/** Runs commands that fail if the service rejects a request. */
final class ServiceReads {
  /**
   * Runs a command and returns its exit code.
   *
   * @throws CommandFailure if the service rejects a request
   */
  static int of(Supplier<Integer> command) {
    try {
      return command.get();
    } catch (ServiceApi.RejectedException e) {
      throw e.asFailure();
    }
  }

  private ServiceReads() {}
}
