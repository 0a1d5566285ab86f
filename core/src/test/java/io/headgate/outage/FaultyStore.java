package io.headgate.outage;

import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
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

/** A store in memory that can be told to fail, or to be silent until its callers give up. */
final class FaultyStore implements Store {
  private final MemoryStore states;
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger probed = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile Supplier<? extends RuntimeException> failure;
  private volatile CountDownLatch silence;
  private volatile boolean closed;

  FaultyStore(Ticker ticker) {
    states = MemoryStore.create(ticker, 10_000);
  }

  void fail(Kind kind) {
    fail(() -> new StoreException(kind, "told to fail", null));
  }

  void fail(Supplier<? extends RuntimeException> with) {
    failure = with;
  }

  void heal() {
    failure = null;
  }

  /** From now on nobody has an answer until {@link #timeOut}. */
  void fallSilent() {
    silence = new CountDownLatch(1);
  }

  void timeOut() {
    fail(Kind.TIMEOUT);
    silence.countDown();
  }

  /** How many requests were sent here. */
  int asked() {
    return asked.get();
  }

  int probed() {
    return probed.get();
  }

  int waiting() {
    return waiting.get();
  }

  boolean isClosed() {
    return closed;
  }

  void probe() {
    probed.incrementAndGet();
    failIfTold();
  }

  private void enter() {
    asked.incrementAndGet();
    var seen = silence;
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
    failIfTold();
  }

  private void failIfTold() {
    var told = failure;
    if (told != null) throw told.get();
  }

  @Override
  public PlanResult decide(Plan plan) {
    enter();
    return states.decide(plan);
  }

  @Override
  public PlanResult peek(Plan plan) {
    enter();
    return states.peek(plan);
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    return CompletableFuture.supplyAsync(() -> decide(plan));
  }

  @Override
  public boolean renew(Charge charge) {
    enter();
    return states.renew(charge);
  }

  @Override
  public boolean release(Charge charge) {
    enter();
    return states.release(charge);
  }

  @Override
  public void reset(Counter counter, String key) {
    enter();
    states.reset(counter, key);
  }

  @Override
  public long trackedKeys() {
    enter();
    return states.trackedKeys();
  }

  @Override
  public void close() {
    closed = true;
    states.close();
  }
}
