package io.headgate.server.rules;

import java.util.Set;
import java.util.stream.Collectors;
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

    /**
     * @param expected the revisions that the change may be applied to
     */
    public Stale(Set<Long> expected, long latest) {
      super(
          "the rules are at revision %d, but the change is based on %s; reload and retry"
              .formatted(latest, text(expected)),
          null);
    }

    private static String text(Set<Long> expected) {
      if (expected.isEmpty()) return "none of their revisions (a weak tag never matches)";
      return expected.stream()
          .sorted()
          .map(String::valueOf)
          .collect(Collectors.joining(" or ", "revision ", ""));
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
