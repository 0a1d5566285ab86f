package io.headgate.server.watch;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The callers of this instance and, where they share a store, of the others. */
public final class FleetCallers {
  private final Watch watch;

  public FleetCallers(Watch watch) {
    this.watch = watch;
  }

  public CompletionStage<CallerList> all() {
    return CompletableFuture.supplyAsync(watch::callers, Thread::startVirtualThread);
  }
}
