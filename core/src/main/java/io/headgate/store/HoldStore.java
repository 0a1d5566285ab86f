package io.headgate.store;

import io.headgate.limit.HoldRequest;
import io.headgate.limit.Outcome;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Holds permits of a store's counters for holders that spend them elsewhere and report later, such
 * as the quota assignments of Envoy and the leases of clients. {@link io.headgate.limit.HeldState}
 * describes why holds never exceed a limit.
 *
 * <p>A holder that {@code consistency: leased} uses is another one: an instance that assigns quotas
 * has a second id. Implementations are thread-safe.
 */
public interface HoldStore {
  /** The number of holder ids, of which one is chosen at random; each is exact in a double. */
  long HOLDER_IDS = 1L << 48;

  /**
   * Executes a request of a holder on one counter.
   *
   * @param charge names the counter, whose limit must be {@link io.headgate.limit.Holdable}; its
   *     cost is that of the request
   * @return fails with a {@link StoreException} if the store is unavailable. The request may have
   *     been executed then.
   */
  CompletionStage<Reply> hold(Charge charge, HoldRequest request);

  /**
   * Returns where permits of a rule's counter are held. A store that divides limits among regions
   * returns the part of this region; other stores return themselves with the whole limit.
   *
   * @param part the rule
   * @param charge a charge of the rule
   * @return empty if no permits of the counter can be held
   */
  default Optional<Target> targetOf(Plan.Part part, Charge charge) {
    return Optional.of(new Target(this, charge, Long.MAX_VALUE));
  }

  /**
   * Where permits of a counter are held.
   *
   * @param store executes the requests
   * @param charge names the counter, with the limit that applies there
   * @param maxLease the longest lease of a hold, in microseconds
   */
  record Target(HoldStore store, Charge charge, long maxLease) {}

  /**
   * The reply to a request.
   *
   * @param outcome the outcome of the request's cost; its remaining permits exclude all holds
   * @param held the permits that the holder may spend
   * @param until the end of the lease by the store's clock, in microseconds
   */
  record Reply(Outcome outcome, long held, long until) {}
}
