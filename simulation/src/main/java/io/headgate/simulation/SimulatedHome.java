package io.headgate.simulation;

import io.headgate.internal.consistency.HoldingStore.HoldResult;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.Holdable;
import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.util.HashMap;
import java.util.Map;

/**
 * The counters at home, with the guard of {@code home-guard.lua}: a home that may have lost holds
 * waits for the longest lease before it grants, and then takes every missing counter for one that
 * was exhausted when the wait ended.
 */
final class SimulatedHome {
  private record Key(String counter, String key) {}

  private final long maxLease;
  private final boolean guarded;
  private final Map<Key, State> states = new HashMap<>();
  private long clockOffset;
  private boolean alive = true;
  private boolean loaded = true;
  private long readyAt; // 0: it is new, and no share was ever granted
  long executed;

  /**
   * Creates an empty home of which no region has held a share.
   *
   * @param maxLease the longest lease, in microseconds
   * @param guarded false for the mutant that grants at once after a restart
   */
  SimulatedHome(long maxLease, boolean guarded) {
    this.maxLease = maxLease;
    this.guarded = guarded;
  }

  boolean isAlive() {
    return alive;
  }

  void kill() {
    alive = false;
  }

  /** Starts again without any state, on a machine whose clock differs. */
  void restartEmpty(long clockOffset) {
    alive = true;
    loaded = false;
    readyAt = 0;
    states.clear();
    this.clockOffset = clockOffset;
  }

  /** Executes a request at a time; throws {@link StoreException} if the guard refuses it. */
  HoldResult execute(Charge charge, HoldRequest request, long time) {
    long now = time + clockOffset;
    if (guarded) guard(now);
    executed++;
    var key = new Key(charge.counter().rule() + "/" + charge.counter().id(), charge.key());
    var limit = (Holdable) charge.limit();
    var state = states.get(key);
    if (state == null) {
      state = readyAt == 0 ? State.FRESH : limit.charged(State.FRESH, readyAt, limit.capacity());
    }
    var result = request.from(limit, state, now);
    states.put(key, result.state());
    return new HoldResult(result.outcome(), result.held(), now + request.lease());
  }

  /** Receives a heartbeat, which opens a home that has started again. */
  void touch(long time) {
    if (!alive || loaded || !guarded) return;
    loaded = true;
    readyAt = time + clockOffset + maxLease + maxLease / 100;
  }

  private void guard(long now) {
    touch(now - clockOffset);
    if (now < readyAt) throw new StoreException(Kind.REFUSED, "home waits for old leases", null);
  }
}
