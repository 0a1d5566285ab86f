package io.headgate.redis.internal.script;

import io.headgate.store.StoreException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A future whose wait may end before the reply arrives. */
interface PendingReply {
  /** The counter keys of the commands that have no reply yet. */
  List<String> unansweredKeys();

  /**
   * Ends the wait for a future.
   *
   * @return the failure that it ends with, which names the counters whose replies are missing
   */
  static StoreException abandon(CompletableFuture<?> future, StoreException problem) {
    var named =
        future instanceof PendingReply waiting ? problem.at(waiting.unansweredKeys()) : problem;
    future.completeExceptionally(named);
    return named;
  }
}
