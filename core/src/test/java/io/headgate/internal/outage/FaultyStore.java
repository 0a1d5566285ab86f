package io.headgate.internal.outage;

import io.headgate.rule.Plan;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.headgate.store.Ticker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A memory store with injected faults: failures, and requests that hang until they time out. */
final class FaultyStore extends ForwardingStore {
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger probes = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile Supplier<? extends RuntimeException> failure;
  private volatile CountDownLatch hang;
  private volatile boolean closed;

  FaultyStore(Ticker ticker) {
    super(MemoryStore.create(ticker, 10_000));
  }

  void fail(Kind kind) {
    fail(() -> new StoreException(kind, "injected failure", null));
  }

  void fail(Supplier<? extends RuntimeException> with) {
    failure = with;
  }

  void heal() {
    failure = null;
  }

  /** Makes all requests wait until {@link #timeOut}. */
  void hang() {
    hang = new CountDownLatch(1);
  }

  void timeOut() {
    fail(Kind.TIMEOUT);
    hang.countDown();
  }

  /** Returns the number of requests sent to this store. */
  int requests() {
    return requests.get();
  }

  int probes() {
    return probes.get();
  }

  int waiting() {
    return waiting.get();
  }

  boolean isClosed() {
    return closed;
  }

  void probe() {
    probes.incrementAndGet();
    throwFailure();
  }

  @Override
  protected Store delegate() {
    requests.incrementAndGet();
    var seen = hang;
    if (seen != null) {
      waiting.incrementAndGet();
      try {
        seen.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      } finally {
        waiting.decrementAndGet();
      }
    }
    throwFailure();
    return super.delegate();
  }

  private void throwFailure() {
    var injected = failure;
    if (injected != null) throw injected.get();
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    return CompletableFuture.supplyAsync(() -> decide(plan));
  }

  @Override
  public void close() {
    closed = true;
    super.delegate().close();
  }
}
