package io.headgate.internal.outage;

import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import java.util.function.BiPredicate;

/**
 * Renews and releases slots where they were acquired: slots granted by the fallback locally, all
 * others in the store.
 *
 * <p>Fails with a {@link StoreException} for the others while the store is unavailable, since
 * {@code false} would mean that the slot has expired. Thread-safe.
 */
final class SlotOperations {
  private final Store remote;
  private final MemoryStore local;
  private final OutageDetector detector;

  SlotOperations(Store remote, MemoryStore local, OutageDetector detector) {
    this.remote = remote;
    this.local = local;
    this.detector = detector;
  }

  /** Renews a slot; returns false if the holder has none. */
  boolean renew(Charge charge) {
    return update(charge, Store::renew, "renew");
  }

  /** Releases a slot; returns false if the holder has none. */
  boolean release(Charge charge) {
    return update(charge, Store::release, "release");
  }

  /** Releases a slot after a call; returns false if the holder has none. */
  boolean release(Charge charge, CompletedCall call) {
    return update(charge, (store, slot) -> store.release(slot, call), "release");
  }

  private boolean update(Charge charge, BiPredicate<Store, Charge> update, String action) {
    return update.test(local, charge)
        || detector.execute(
            () -> update.test(remote, charge),
            "could not %s a slot of %s".formatted(action, charge.counter()));
  }
}
