package io.headgate.server.cli;

/** Ends a command with a message for people and no stack trace. */
final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  CommandFailure(String message) {
    super(message, null, false, false);
  }

  /** What somebody else has already said well. */
  static CommandFailure of(Exception cause) {
    return new CommandFailure(String.valueOf(cause.getMessage()));
  }
}
