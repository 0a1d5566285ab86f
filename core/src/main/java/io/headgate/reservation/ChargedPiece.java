package io.headgate.reservation;

/**
 * Permits of one reservation that were charged to one counter at one time.
 *
 * @param amount the number of permits
 * @param at the time of the charge by the store's clock, in microseconds
 * @param freshAt the time at which the counter would be fresh without later charges, in
 *     microseconds
 */
public record ChargedPiece(long amount, long at, long freshAt) {
  ChargedPiece withAmount(long other) {
    return new ChargedPiece(other, at, freshAt);
  }

  /**
   * Returns one piece for two. Keeps the earlier times, by which less is returned rather than more.
   */
  ChargedPiece and(ChargedPiece later) {
    return new ChargedPiece(
        amount + later.amount, Math.min(at, later.at), Math.min(freshAt, later.freshAt));
  }
}
