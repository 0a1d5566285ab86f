package io.headgate.server.http.transport;

import org.jspecify.annotations.Nullable;

/**
 * A request that may have a deadline: for its body to arrive, or for its response to be sent. Its
 * place in the {@link DeadlineList} is in its own fields, since every request enters the list and
 * leaves it again.
 */
abstract class BodyReceiver {
  /** The neighbors in the list; null if this request has no deadline. */
  @Nullable BodyReceiver previous;

  @Nullable BodyReceiver next;

  /** The last tick in which the request is in time. */
  long deadline;

  /** Called when the deadline has passed. */
  abstract void onTimeout();
}
