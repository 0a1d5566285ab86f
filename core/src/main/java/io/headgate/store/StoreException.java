package io.headgate.store;

import java.util.List;
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
  private final String[] keys;
  private final boolean unsent;

  public StoreException(Kind kind, String message, @Nullable Throwable cause) {
    this(kind, message, cause, List.of(), false);
  }

  private StoreException(
      Kind kind,
      @Nullable String message,
      @Nullable Throwable cause,
      List<String> keys,
      boolean unsent) {
    super(message, cause, true, false);
    this.kind = kind;
    this.keys = keys.toArray(String[]::new);
    this.unsent = unsent;
  }

  /** The same failure, of the part of the store that keeps these counter keys. */
  public StoreException at(List<String> keys) {
    return keys.isEmpty() ? this : new StoreException(kind, getMessage(), getCause(), keys, unsent);
  }

  /**
   * The counter keys whose part of the store failed; empty where that is not known. A store of
   * several servers fails in parts.
   */
  public List<String> keys() {
    return List.of(keys);
  }

  public Kind kind() {
    return kind;
  }

  /** Whether the request surely was not sent. If false, the store may have charged it. */
  public boolean isUnsent() {
    return unsent;
  }

  /** Whether it is certain that the store charged nothing. */
  public boolean isUncharged() {
    return unsent
        || switch (kind) {
          case REFUSED, OVERLOADED -> true;
          case TIMEOUT, CONNECTION, INTERRUPTED, OTHER -> false;
        };
  }

  /** The same failure of a request that was not sent. */
  public StoreException unsent() {
    return unsent ? this : new StoreException(kind, getMessage(), getCause(), keys(), true);
  }
}
