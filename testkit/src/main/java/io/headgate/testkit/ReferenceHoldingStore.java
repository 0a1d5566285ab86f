package io.headgate.testkit;

import io.headgate.internal.consistency.HoldingStore;
import io.headgate.limit.HeldState;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Holdable;
import io.headgate.rule.Charge;
import io.headgate.store.ForwardingStore;
import io.headgate.store.Ticker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The reference implementation of {@link HoldingStore}: one {@link ReferenceStore} that several
 * instances share. Plans and holds operate on the same states. Thread-safe.
 */
public final class ReferenceHoldingStore extends ForwardingStore implements HoldingStore {
  private final ReferenceStore store; // also the lock
  private final Ticker ticker;
  private final long holder;

  private ReferenceHoldingStore(ReferenceStore store, Ticker ticker, long holder) {
    super(store);
    this.store = store;
    this.ticker = ticker;
    this.holder = holder;
  }

  /** Creates an empty store for the instance with holder id 1. */
  public static ReferenceHoldingStore shared(Ticker ticker) {
    return new ReferenceHoldingStore(new ReferenceStore(ticker), ticker, 1);
  }

  /** Returns a view of the same states for another instance. */
  public ReferenceHoldingStore as(long holder) {
    return new ReferenceHoldingStore(store, ticker, holder);
  }

  @Override
  public CompletionStage<HoldResult> hold(Charge charge, Usage usage, long want, long lease) {
    return hold(charge, 0, usage, want, lease);
  }

  /**
   * As {@link #hold(Charge, Usage, long, long)}, with an order.
   *
   * @param order as in {@link HoldRequest}
   */
  public CompletionStage<HoldResult> hold(
      Charge charge, long order, Usage usage, long want, long lease) {
    synchronized (store) {
      long now = ticker.micros();
      var take = new HoldRequest(holder, order, usage, charge.cost(), want, lease);
      var taken = take.from(holdable(charge), store.state(charge), now);
      store.keep(charge, taken.state());
      return CompletableFuture.completedStage(
          new HoldResult(taken.outcome(), taken.held(), now + lease));
    }
  }

  @Override
  public CompletionStage<ReportResult> report(Charge charge) {
    synchronized (store) {
      long now = ticker.micros();
      var limit = holdable(charge);
      var reported = HeldState.reported(limit, store.state(charge), now, charge.cost());
      store.keep(charge, reported.state());
      var known =
          limit.adopt(
              HeldState.withoutHolds(HeldState.expireHolds(limit, reported.state(), now)), now);
      return CompletableFuture.completedStage(new ReportResult(known, now, reported.counted()));
    }
  }

  private static Holdable holdable(Charge charge) {
    return (Holdable) charge.limit();
  }
}
