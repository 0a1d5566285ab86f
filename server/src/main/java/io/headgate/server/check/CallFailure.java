package io.headgate.server.check;

import io.headgate.rule.InvalidCostException;
import io.headgate.store.StoreException;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reason why a valid call has no result. Each protocol translates it to a status of its own.
 *
 * @param message the text for the client; contains no details of an internal error
 */
public record CallFailure(Kind kind, String message) {
  private static final Logger LOG = LoggerFactory.getLogger(CallFailure.class);

  /** The kinds of failures. */
  public enum Kind {
    /** The operation needs the store; it succeeds when the store is available again. */
    STORE_UNAVAILABLE,
    /** The rules can't account for the costs of the call; nothing was charged. */
    INVALID_COST,
    /** An error of the service. */
    INTERNAL
  }

  private static final CallFailure STORE_UNAVAILABLE =
      new CallFailure(
          Kind.STORE_UNAVAILABLE,
          "the store is unavailable, and this operation needs it; try again in a second"
              + " (slots and reservations that are not ended expire by themselves)");

  /**
   * Classifies an exception. An internal error is logged under an id that the message contains, so
   * that the log line can be found from the response.
   */
  public static CallFailure of(Throwable thrown) {
    var inner = thrown instanceof CompletionException ? thrown.getCause() : null;
    var cause = inner == null ? thrown : inner;
    if (cause instanceof StoreException) {
      LOG.debug("the store is unavailable", cause);
      return STORE_UNAVAILABLE;
    }
    if (cause instanceof InvalidCostException invalid) {
      return new CallFailure(
          Kind.INVALID_COST, "cost '%s' %s".formatted(invalid.cost(), invalid.getMessage()));
    }
    String id = UUID.randomUUID().toString();
    LOG.error("request failed, id {}", id, cause);
    return new CallFailure(
        Kind.INTERNAL, "internal error; the log of the service has the details under id " + id);
  }
}
