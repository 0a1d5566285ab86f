package io.headgate.internal.script;

import io.headgate.store.StoreException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** A future whose wait may end before the reply arrives. */
interface PendingReply {
  /** Returns the counter keys of the commands that have no reply yet. */
  List<String> pendingKeys();

  /**
   * Ends the wait for a future.
   *
   * @return the failure that completes it, with the keys of the counters whose replies are missing.
   *     The future is completed without it if the reply has just arrived
   */
  static StoreException abandon(CompletableFuture<?> future, StoreException problem) {
    var named =
        future instanceof PendingReply waiting ? problem.at(waiting.pendingKeys()) : problem;
    future.completeExceptionally(named);
    return future.state() == Future.State.FAILED
        ? Failures.asStoreException(future.exceptionNow())
        : named;
  }
}
