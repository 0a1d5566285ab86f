package io.headgate.reservation;

import io.headgate.limit.GiveBack;
import io.headgate.limit.HeldState;
import io.headgate.limit.Holdable;
import io.headgate.limit.ReturnHistory;
import io.headgate.limit.Share;
import io.headgate.limit.State;
import java.util.ArrayList;
import java.util.List;

/**
 * The permits of one reservation that are charged to one counter. The twin of the functions in
 * {@code reservation.lua}. Immutable.
 *
 * @param used the usage that the client last reported; {@link #UNREPORTED} if it reported none
 * @param grown the permits that updates have added to the reservation
 * @param pieces the charges, oldest first
 */
public record Ledger(long used, long grown, List<ChargedPiece> pieces) {
  /** The value of {@code used} before the first report. */
  public static final long UNREPORTED = -1;

  /** The number of pieces above which the two oldest become one. */
  static final int MAX_PIECES = 8;

  /** Copies the list. */
  public Ledger {
    pieces = List.copyOf(pieces);
  }

  /** Creates the ledger of a new reservation. */
  public static Ledger of(ReservedCharge reserved) {
    return new Ledger(
        UNREPORTED,
        0,
        List.of(new ChargedPiece(reserved.charge().cost(), reserved.at(), reserved.freshAt())));
  }

  /** Returns the number of permits that are charged. */
  public long total() {
    long sum = 0;
    for (var piece : pieces) sum += piece.amount();
    return sum;
  }

  Ledger withUsed(long reported) {
    return new Ledger(reported, grown, pieces);
  }

  /** Returns the ledger with permits that an update has added. */
  Ledger grownBy(ChargedPiece piece) {
    return new Ledger(used, grown + piece.amount(), plus(piece).pieces);
  }

  /** A ledger, the state of its counter, and the returns to it. */
  record Corrected(Ledger ledger, State state, ReturnHistory returns) {}

  /**
   * Changes the charge to {@code target}: returns the rest, the newest pieces first, or charges the
   * difference without a check. A state of another limit returns nothing, and is converted for a
   * charge.
   *
   * @param sameLimit whether the limit is the one that was reserved. Otherwise nothing is returned,
   *     since the state was converted meanwhile and a permit of it is not a permit of the
   *     reservation
   * @param returns the earlier returns to the counter
   * @param isLast whether the reservation ends for good, so that nothing more is returned later
   * @return the ledger with its present charges, which differ from {@code target} where a
   *     correction is not possible
   */
  Corrected correctTo(
      long target,
      Holdable limit,
      boolean sameLimit,
      State state,
      ReturnHistory returns,
      boolean isLast,
      long now) {
    long total = total();
    if (target > total) {
      var reported = HeldState.charged(limit, state, now, target - total);
      if (reported.charged() == 0) return new Corrected(this, state, returns);
      var next = reported.state();
      return new Corrected(plus(pieceOf(reported.charged(), next, now)), next, returns);
    }
    boolean returnsRest =
        target < total && sameLimit && !HeldState.isFromOtherLimit(limit, state, now);
    return returnsRest
        ? reduced(total - target, limit, state, returns, isLast, now)
        : new Corrected(this, state, returns);
  }

  private Corrected reduced(
      long by, Holdable limit, State state, ReturnHistory returns, boolean isLast, long now) {
    var kept = new ArrayList<>(pieces);
    var next = new GiveBack.Returned(state, returns);
    for (long rest = by; rest > 0; ) {
      var piece = kept.removeLast();
      long back = Math.min(rest, piece.amount());
      var receipt = new GiveBack.Receipt(piece.amount(), piece.at(), piece.freshAt(), isLast);
      next = GiveBack.of(limit, Share.NONE, next.state(), next.history(), now, back, receipt);
      if (back < piece.amount()) kept.add(piece.withAmount(piece.amount() - back));
      rest -= back;
    }
    return new Corrected(new Ledger(used, grown, kept), next.state(), next.history());
  }

  static ChargedPiece pieceOf(long amount, State charged, long now) {
    long freshAt = HeldState.withoutHolds(charged).freshAt();
    return new ChargedPiece(amount, now, Math.max(now, freshAt));
  }

  /** Returns the ledger with one more piece. */
  Ledger plus(ChargedPiece piece) {
    var all = new ArrayList<>(pieces);
    all.add(piece);
    if (all.size() > MAX_PIECES) all.set(1, all.removeFirst().and(all.getFirst()));
    return new Ledger(used, grown, all);
  }
}
