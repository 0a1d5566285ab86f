package io.headgate.store;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a store can't be reached, does not reply in time, or replies with an error.
 *
 * <p>Has no stack trace. During an outage it is thrown once per request until the circuit breaker
 * opens, and filling in the stack trace would be most of the cost.
 */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The kind of failure. */
  public enum Kind {
    /** No reply within the deadline; the request may or may not have been charged. */
    TIMEOUT,
    /** No connection. */
    CONNECTION,
    /** The server replied with an error, such as READONLY or OOM. */
    REFUSED,
    /** Too many requests are waiting for a reply. */
    OVERLOADED,
    /** The store has no room for what the request would keep in it. */
    FULL,
    /** The caller stopped waiting before the store's deadline; not a failure of the store. */
    INTERRUPTED,
    /** Any other failure. */
    OTHER;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** Returns the name used in metrics and messages. */
    public String label() {
      return label;
    }
  }

  /** The kind of failure. */
  private final Kind kind;

  /** The keys of the counters that are affected; empty if unknown. */
  private final String[] keys;

  /** Whether the request was certainly not sent. */
  private final boolean unsent;

  /** Whether the store gives back whatever it charges. */
  private final boolean givenBack;

  /** The deadline of the call that was missed; zero if it is unknown, or that of the store. */
  private final Duration callDeadline;

  /** The reply, if it may still arrive. */
  private final transient @Nullable CompletionStage<LateReply> lateReply;

  /** Creates a failure of unknown keys, of a request that may have been sent. */
  public StoreException(Kind kind, String message, @Nullable Throwable cause) {
    this(kind, message, cause, List.of(), false, false, Duration.ZERO, null);
  }

  private StoreException(
      Kind kind,
      @Nullable String message,
      @Nullable Throwable cause,
      List<String> keys,
      boolean unsent,
      boolean givenBack,
      Duration callDeadline,
      @Nullable CompletionStage<LateReply> lateReply) {
    super(message, cause, true, false);
    this.kind = kind;
    this.keys = keys.toArray(String[]::new);
    this.unsent = unsent;
    this.givenBack = givenBack;
    this.callDeadline = callDeadline;
    this.lateReply = lateReply;
  }

  /** Returns this failure, limited to the part of the store that has these counter keys. */
  public StoreException at(List<String> keys) {
    return keys.isEmpty() ? this : with(keys, unsent, givenBack, callDeadline, lateReply);
  }

  /**
   * Returns the counter keys whose part of the store failed; empty if they are unknown. A store of
   * several servers can fail in parts.
   */
  public List<String> keys() {
    return List.of(keys);
  }

  /** Returns the kind of failure. */
  public Kind kind() {
    return kind;
  }

  /** Returns whether the request was certainly not sent. If false, it may have been charged. */
  public boolean isUnsent() {
    return unsent;
  }

  /** Returns whether the store certainly charged nothing. */
  public boolean isUncharged() {
    return unsent
        || givenBack
        || switch (kind) {
          case REFUSED, OVERLOADED, FULL -> true;
          case TIMEOUT, CONNECTION, INTERRUPTED, OTHER -> false;
        };
  }

  /** Returns this failure, marked as of a request that was not sent. */
  public StoreException unsent() {
    return unsent ? this : with(keys(), true, givenBack, callDeadline, null);
  }

  /**
   * Returns this failure, marked as of a request whose charges the store gives back when their
   * replies arrive.
   */
  public StoreException givenBack() {
    return givenBack ? this : with(keys(), unsent, true, callDeadline, null);
  }

  /**
   * Returns this failure with the reply to the request, which may still arrive. The stage fails if
   * it can't arrive any more.
   */
  public StoreException withLateReply(CompletionStage<LateReply> reply) {
    return with(keys(), unsent, givenBack, callDeadline, reply);
  }

  /** Returns the reply, if it may still arrive. */
  public Optional<CompletionStage<LateReply>> lateReply() {
    return Optional.ofNullable(lateReply);
  }

  /** Returns this failure, marked as that of a call with a shorter deadline than the store. */
  public StoreException withCallDeadline(Duration deadline) {
    return with(keys(), unsent, givenBack, deadline, lateReply);
  }

  /** Returns the deadline of the call if it is shorter than the store's; otherwise zero. */
  public Duration callDeadline() {
    return callDeadline;
  }

  private StoreException with(
      List<String> keys,
      boolean unsent,
      boolean givenBack,
      Duration callDeadline,
      @Nullable CompletionStage<LateReply> lateReply) {
    return new StoreException(
        kind, getMessage(), getCause(), keys, unsent, givenBack, callDeadline, lateReply);
  }
}
