package io.headgate.server.cli.output;

/** Ends a command with a message for people and no stack trace. */
public final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  public CommandFailure(String message) {
    super(message, null, false, false);
  }

  /** What somebody else has already said well. */
  public static CommandFailure of(Exception cause) {
    return new CommandFailure(String.valueOf(cause.getMessage()));
  }
}
