package io.headgate.store;

import io.headgate.limit.HoldRequest;
import io.headgate.limit.Holdable;
import io.headgate.rule.Charge;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Stores holds in the cells of a {@link MemoryStore}. Thread-safe; replies are immediate. */
final class MemoryHoldStore implements HoldStore {
  private final MemoryStore store;
  private final CellTable cells;

  MemoryHoldStore(MemoryStore store, CellTable cells) {
    this.store = store;
    this.cells = cells;
  }

  @Override
  public CompletionStage<Reply> hold(Charge charge, HoldRequest request) {
    if (!(charge.limit() instanceof Holdable limit)) {
      throw new IllegalArgumentException(
          "permits of %s can't be held; token buckets, fixed and sliding windows support it"
              .formatted(charge));
    }
    long now = store.now();
    while (true) {
      var cell = cells.obtainForAnyState(charge, now);
      var state = cell.lock();
      if (state == null) continue;
      var next = state;
      try {
        var result = request.from(limit, state, now);
        next = result.state();
        return CompletableFuture.completedStage(
            new Reply(result.outcome(), result.held(), now + request.lease()));
      } finally {
        cell.unlock(next, cell.isRefused());
      }
    }
  }
}
