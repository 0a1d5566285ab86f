package io.headgate.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A store's reply to a plan that is reserved.
 *
 * @param result the reply to the plan. Its source is {@link Source#FALLBACK} if the store was
 *     unavailable and the rules' failure policies decided
 * @param receipts for each charge of the plan that was made, when it was made; null for a charge
 *     that was not. Empty if the store did not decide
 */
public record ReservedPlan(PlanResult result, List<@Nullable Receipt> receipts) {
  /**
   * The times of a charge.
   *
   * @param at the time of the charge by the store's clock, in microseconds
   * @param freshAt the time at which the counter would be fresh without later charges
   */
  public record Receipt(long at, long freshAt) {}
}
