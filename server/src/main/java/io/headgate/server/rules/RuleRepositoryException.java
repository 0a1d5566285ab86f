package io.headgate.server.rules;

import org.jspecify.annotations.Nullable;

/** Why a book of rules could not do what it was asked. Nothing has changed. */
public abstract sealed class RuleRepositoryException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private RuleRepositoryException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** Somebody else has changed the rules since the author looked. */
  public static final class Stale extends RuleRepositoryException {
    private static final long serialVersionUID = 1;

    public Stale(long expected, long latest) {
      super(
          "the rules are at revision %d, not %d any more; look at them again"
              .formatted(latest, expected),
          null);
    }
  }

  /** These rules are not changed here. */
  public static final class ReadOnly extends RuleRepositoryException {
    private static final long serialVersionUID = 1;

    public ReadOnly(String why) {
      super(why, null);
    }
  }

  /** There is no such revision. */
  public static final class NoSuchRevision extends RuleRepositoryException {
    private static final long serialVersionUID = 1;

    public NoSuchRevision(long number, long latest) {
      super("there is no revision %d; there are 1 to %d".formatted(number, latest), null);
    }
  }

  /** The database can't be asked. */
  public static final class Away extends RuleRepositoryException {
    private static final long serialVersionUID = 1;

    public Away(String why, @Nullable Throwable cause) {
      super(why, cause);
    }
  }
}
