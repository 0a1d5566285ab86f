package io.headgate.server.cli.output;

/** Ends a command with exit code 2 and a message, without a stack trace. */
public final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  public CommandFailure(String message) {
    super(message, null, false, false);
  }

  /** Creates a failure with the message of another exception. */
  public static CommandFailure of(Exception cause) {
    return new CommandFailure(String.valueOf(cause.getMessage()));
  }
}
