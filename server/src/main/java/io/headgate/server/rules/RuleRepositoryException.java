package io.headgate.server.rules;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a rule repository cannot perform an operation. The rules are unchanged, unless the
 * message says that the result is unknown.
 */
public abstract sealed class RuleRepositoryException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private RuleRepositoryException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** The rules were changed after the revision the request is based on. */
  public static final class Stale extends RuleRepositoryException {
    private static final long serialVersionUID = 1;

    public Stale(long expected, long latest) {
      super(
          "the rules are at revision %d, but the change is based on revision %d; reload and retry"
              .formatted(latest, expected),
          null);
    }
  }

  /** The repository is read-only. */
  public static final class ReadOnly extends RuleRepositoryException {
    private static final long serialVersionUID = 1;

    public ReadOnly(String reason) {
      super(reason, null);
    }
  }

  /** The requested revision does not exist. */
  public static final class NoSuchRevision extends RuleRepositoryException {
    private static final long serialVersionUID = 1;

    public NoSuchRevision(long number, long latest) {
      super("there is no revision %d; there are 1 to %d".formatted(number, latest), null);
    }
  }

  /** The database is unavailable or its content is unusable. */
  public static final class Unavailable extends RuleRepositoryException {
    private static final long serialVersionUID = 1;

    public Unavailable(String reason, @Nullable Throwable cause) {
      super(reason, cause);
    }
  }
}
