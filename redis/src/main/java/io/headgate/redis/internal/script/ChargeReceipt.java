package io.headgate.redis.internal.script;

import io.headgate.limit.Outcome;
import io.headgate.rule.Charge;

/**
 * Identifies a charge that was made, so that it can be given back to the window, bucket or entry
 * that it was made to, and to no later one.
 *
 * @param at when it was made, by the server's clock in microseconds
 * @param freshAt when the counter would have been as if unused, seen from then
 */
public record ChargeReceipt(Charge charge, long at, long freshAt) {
  public static ChargeReceipt of(Charge charge, long at, Outcome outcome) {
    return new ChargeReceipt(charge, at, at + outcome.resetAfter());
  }

  /** Two charges of one counter and key that were made in one step. */
  ChargeReceipt and(ChargeReceipt later) {
    long cost = charge.cost() + later.charge.cost();
    var sum = new Charge(charge.counter(), charge.key(), cost, charge.holder());
    return new ChargeReceipt(sum, at, Math.max(freshAt, later.freshAt));
  }
}
