package io.headgate.internal.script;

import io.headgate.limit.FairShare;
import io.headgate.limit.Holdable;
import io.headgate.limit.Share;
import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationCommand.Action;
import io.headgate.reservation.ReservationReply;
import io.headgate.reservation.ReservedCharge;
import io.headgate.reservation.ReservedCharge.ExpiryCharge;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.util.ArrayList;
import java.util.List;

/**
 * Decodes the operations on reservations that {@link Batch} wrote, and encodes their replies for
 * {@link ReplyReader}. Nonce and token of a decoded command are empty: the key of the record
 * identifies the reservation.
 */
final class ReservationOperation {
  private static final int SHARE_WEIGHT = 1; // the encoding has none, and only a reading uses it

  private ReservationOperation() {}

  /**
   * An operation that was read.
   *
   * @param returns for each counter of the command the key of the returns to it; empty if its limit
   *     has none
   */
  record Decoded(ReservationCommand command, List<String> returns) {
    List<Charge> charges() {
      return command.entries().stream().map(entry -> entry.reserved().charge()).toList();
    }
  }

  /**
   * Reads the operation after its key.
   *
   * @param keys the keys of the batch
   * @param limits the limits of the batch
   * @throws IllegalArgumentException if it is malformed
   */
  static Decoded read(BatchReader in, String[] keys, List<Counter> limits) {
    var action = action(in.number());
    long expiresAt = in.number();
    long ttl = in.number();
    int count = in.count();
    var entries = new ArrayList<ReservationCommand.Entry>();
    var returns = new ArrayList<String>();
    for (int i = 0; i < count; i++) {
      entries.add(entry(in, keys, limits));
      returns.add(returnsKey(in, keys));
    }
    return new Decoded(new ReservationCommand("", "", expiresAt, action, ttl, entries), returns);
  }

  /**
   * Reads a settlement in its short form, after its key.
   *
   * @param keys the keys of the batch
   * @param limits the limits of the batch
   * @throws IllegalArgumentException if it is malformed
   */
  static Decoded readSettlement(BatchReader in, String[] keys, List<Counter> limits) {
    var key = keys[in.count() - 1];
    var counter = limits.get(in.count() - 1);
    if (!(counter.limit() instanceof Holdable)) {
      throw new IllegalArgumentException("a short settlement of a limit that returns nothing");
    }
    long target = in.number();
    var charge = new Charge(counter, key, in.number(), 0, null);
    var reserved =
        new ReservedCharge(
            0, charge, in.number(), in.number(), true, charge.cost(), ExpiryCharge.RESERVED);
    var entries = List.of(new ReservationCommand.Entry(reserved, target, 0));
    long expiresAt = in.number();
    var returns = List.of(keys[in.count() - 1]);
    return new Decoded(
        new ReservationCommand("", "", expiresAt, Action.SETTLE, 0, entries), returns);
  }

  private static ReservationCommand.Entry entry(
      BatchReader in, String[] keys, List<Counter> limits) {
    int index = in.count();
    var key = keys[in.count() - 1];
    var counter = limits.get(in.count() - 1);
    long target = in.number();
    long more = in.number();
    long cost = in.number();
    long at = in.number();
    long freshAt = in.number();
    boolean sameLimit = in.flag();
    long maxAmount = in.number();
    var onExpiry = onExpiry(in.number());
    var charge =
        counter.limit() instanceof FairShare
            ? new Charge(counter, key, cost, 0, new Share(in.text(), SHARE_WEIGHT))
            : new Charge(counter, key, cost, in.holder(), null);
    var reserved = new ReservedCharge(index, charge, at, freshAt, sameLimit, maxAmount, onExpiry);
    return new ReservationCommand.Entry(reserved, target, more);
  }

  /** Reads the key of the returns to a counter; empty if there is none. */
  static String returnsKey(BatchReader in, String[] keys) {
    int index = in.count();
    return index == 0 ? "" : keys[index - 1];
  }

  private static Action action(long code) {
    for (var action : Action.values()) {
      if (Batch.code(action) == code) return action;
    }
    throw new IllegalArgumentException("unknown operation on a reservation: " + code);
  }

  private static ExpiryCharge onExpiry(long code) {
    for (var charge : ExpiryCharge.values()) {
      if (Batch.code(charge) == code) return charge;
    }
    throw new IllegalArgumentException("unknown charge at expiry: " + code);
  }

  static void write(ReservationReply reply, MessagePackWriter out) {
    switch (reply.status()) {
      case UNKNOWN -> {
        out.put(0);
        return;
      }
      case OPEN -> out.put(1);
      case SETTLED -> out.put(2);
      case EXPIRED -> out.put(3);
    }
    out.put(reply.expiresAt()).put(reply.grown() ? 1 : 0);
    for (var counter : reply.counters()) {
      out.put(counter.charged()).put(counter.used() + 1).put(counter.remaining());
      out.put(counter.wasExhausted() ? 1 : 0).put(counter.grown());
    }
  }
}
