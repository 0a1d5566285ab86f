package io.headgate.store;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A store could not be asked, or did not answer.
 *
 * <p>Ordinary during an outage, and thrown once per request until the breaker opens: so it has no
 * stack trace, which would cost more than all the rest.
 */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What went wrong. */
  public enum Kind {
    /** No answer in time; whether the request was charged is not known. */
    TIMEOUT,
    /** No connection. */
    CONNECTION,
    /** The server answered with an error, such as READONLY or OOM. */
    REFUSED,
    /** Too much waits for an answer already. */
    OVERLOADED,
    /** The caller was interrupted while it waited, which says nothing of the store. */
    INTERRUPTED,
    /** Anything else. */
    OTHER;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** The name in metrics and messages. */
    public String label() {
      return label;
    }
  }

  private final Kind kind;
  private final boolean unsent;

  public StoreException(Kind kind, String message, @Nullable Throwable cause) {
    this(kind, message, cause, false);
  }

  private StoreException(Kind kind, String message, @Nullable Throwable cause, boolean unsent) {
    super(message, cause, true, false);
    this.kind = kind;
    this.unsent = unsent;
  }

  public Kind kind() {
    return kind;
  }

  /** Whether the request surely was not sent. If false, the store may have charged it. */
  public boolean isUnsent() {
    return unsent;
  }

  /** The same failure of a request that was not sent. */
  public StoreException unsent() {
    return unsent ? this : new StoreException(kind, String.valueOf(getMessage()), getCause(), true);
  }
}
