package io.headgate.internal.script;

import io.headgate.store.StoreException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A future whose wait may end before the reply arrives. */
interface PendingReply {
  /** Returns the counter keys of the commands that have no reply yet. */
  List<String> pendingKeys();

  /**
   * Ends the wait for a future.
   *
   * @return the failure that completes it, with the keys of the counters whose replies are missing
   */
  static StoreException abandon(CompletableFuture<?> future, StoreException problem) {
    var named =
        future instanceof PendingReply waiting ? problem.at(waiting.pendingKeys()) : problem;
    future.completeExceptionally(named);
    return named;
  }
}
