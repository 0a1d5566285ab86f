package io.headgate.http;

import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import io.headgate.store.StoreException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The concurrency slots of one HTTP request, from its admission to its end. The first release
 * counts; later ones have no effect. Thread-safe.
 */
public final class HeldSlots {
  private final Consumer<CompletedCall> release;
  private final boolean remote;
  private final long startNanos = System.nanoTime();
  private final AtomicBoolean released = new AtomicBoolean();

  /**
   * Creates the slots of a request that was just admitted.
   *
   * @param release releases the slots; may throw a {@link StoreException}, since they expire
   * @param remote whether releasing them waits for the network
   */
  public HeldSlots(Consumer<CompletedCall> release, boolean remote) {
    this.release = release;
    this.remote = remote;
  }

  /**
   * Releases the slots with the outcome of the request and the time since its admission, from which
   * adaptive limits learn. Ignores a failure of the store, since the slots expire.
   */
  public void release(CallOutcome outcome) {
    if (released.compareAndSet(false, true)) send(completed(outcome));
  }

  /** Releases as {@link #release} does, without blocking the calling thread. */
  public void releaseAsync(CallOutcome outcome) {
    if (!released.compareAndSet(false, true)) return;
    var call = completed(outcome);
    if (remote) Thread.startVirtualThread(() -> send(call));
    else send(call);
  }

  private CompletedCall completed(CallOutcome outcome) {
    return new CompletedCall(outcome, Math.max(0, (System.nanoTime() - startNanos) / 1_000));
  }

  private void send(CompletedCall call) {
    try {
      release.accept(call);
    } catch (StoreException e) {
      // The slots expire.
    }
  }
}
