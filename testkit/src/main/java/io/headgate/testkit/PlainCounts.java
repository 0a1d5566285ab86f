package io.headgate.testkit;

import io.headgate.limit.Divisible;
import io.headgate.limit.Held;
import io.headgate.limit.Take;
import io.headgate.limit.Take.Usage;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.Answer;
import io.headgate.store.SharedCounts;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What every store that several instances share must be indistinguishable from: one {@link
 * PlainStore}, as one of its instances sees it. Plans and takes meet on the same states.
 */
public final class PlainCounts implements Store, SharedCounts {
  private final PlainStore store; // also the lock
  private final Ticker ticker;
  private final long holder;

  private PlainCounts(PlainStore store, Ticker ticker, long holder) {
    this.store = store;
    this.ticker = ticker;
    this.holder = holder;
  }

  /** Nothing is known yet; the one who has it is holder 1. */
  public static PlainCounts shared(Ticker ticker) {
    return new PlainCounts(new PlainStore(ticker), ticker, 1);
  }

  /** The same states for another instance. */
  public PlainCounts as(long holder) {
    return new PlainCounts(store, ticker, holder);
  }

  @Override
  public CompletionStage<Taken> take(Charge charge, Usage usage, long want, long lease) {
    return take(charge, 0, usage, want, lease);
  }

  /**
   * @param order as in {@link Take}
   */
  public CompletionStage<Taken> take(
      Charge charge, long order, Usage usage, long want, long lease) {
    synchronized (store) {
      long now = ticker.micros();
      var take = new Take(holder, order, usage, charge.cost(), want, lease);
      var taken = take.from(divisible(charge), store.state(charge), now);
      store.keep(charge, taken.state());
      return CompletableFuture.completedStage(
          new Taken(taken.outcome(), taken.held(), now + lease));
    }
  }

  @Override
  public CompletionStage<Known> report(Charge charge) {
    synchronized (store) {
      long now = ticker.micros();
      var limit = divisible(charge);
      var reported = Held.reported(limit, store.state(charge), now, charge.cost());
      store.keep(charge, reported.state());
      var known = limit.adopt(Held.bare(Held.settled(limit, reported.state(), now)), now);
      return CompletableFuture.completedStage(new Known(known, now, reported.counted()));
    }
  }

  private static Divisible divisible(Charge charge) {
    return (Divisible) charge.limit();
  }

  @Override
  public Answer decide(Plan plan) {
    synchronized (store) {
      return store.decide(plan);
    }
  }

  @Override
  public Answer peek(Plan plan) {
    synchronized (store) {
      return store.peek(plan);
    }
  }

  @Override
  public boolean renew(Charge charge) {
    synchronized (store) {
      return store.renew(charge);
    }
  }

  @Override
  public boolean release(Charge charge) {
    synchronized (store) {
      return store.release(charge);
    }
  }

  @Override
  public void reset(Counter counter, String key) {
    synchronized (store) {
      store.reset(counter, key);
    }
  }

  @Override
  public long trackedKeys() {
    synchronized (store) {
      return store.trackedKeys();
    }
  }
}
