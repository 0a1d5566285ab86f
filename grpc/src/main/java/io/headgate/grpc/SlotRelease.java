package io.headgate.grpc;

import io.headgate.RateLimiter;
import io.headgate.client.HeadgateClient;
import io.headgate.load.CompletedCall;
import io.headgate.store.MemoryStore;
import io.headgate.store.StoreException;
import java.util.Optional;

/** Releases the slots of a call when it ends. Called once; must not block. */
@FunctionalInterface
public interface SlotRelease {
  /**
   * Releases the slots.
   *
   * @param call how the call ended; empty if it was cancelled, from which adaptive limits learn
   *     nothing
   */
  void release(Optional<CompletedCall> call);

  /**
   * Releases at once in memory, so that the slot is free before the call ends. Other stores may
   * block, so that they release on a virtual thread.
   */
  static SlotRelease of(RateLimiter limiter, String slot) {
    boolean local = limiter.store() instanceof MemoryStore;
    return call -> {
      if (local) release(limiter, slot, call);
      else Thread.startVirtualThread(() -> release(limiter, slot, call));
    };
  }

  private static void release(RateLimiter limiter, String slot, Optional<CompletedCall> call) {
    try {
      if (call.isPresent()) limiter.release(slot, call.get());
      else limiter.release(slot);
    } catch (StoreException e) {
      // The slots expire.
    }
  }

  /** Sends the release, and does not wait for its response. */
  static SlotRelease of(HeadgateClient client, String slot) {
    return call -> {
      var unused =
          call.isPresent() ? client.releaseAsync(slot, call.get()) : client.releaseAsync(slot);
    };
  }
}
