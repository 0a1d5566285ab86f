package io.headgate.internal.script;

import io.headgate.rule.Charge;

/**
 * Identifies a charge that was made, so that it is given back to the window, bucket or entry that
 * it was made to, and to no later one.
 *
 * @param at the server time of the charge, in microseconds
 * @param freshAt the time at which the counter would be fresh without later charges, in
 *     microseconds
 */
record ChargeReceipt(Charge charge, long at, long freshAt) {
  /** Returns the sum of two charges of one counter and key that were made atomically. */
  ChargeReceipt and(ChargeReceipt later) {
    long cost = charge.cost() + later.charge.cost();
    var sum = charge.withCost(cost);
    return new ChargeReceipt(sum, at, Math.max(freshAt, later.freshAt));
  }
}
