package io.headgate.internal.script;

import io.headgate.limit.FairShare;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.Holdable;
import io.headgate.limit.Limit;
import io.headgate.limit.SlotLimit;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservedCharge;
import io.headgate.rule.Charge;
import io.headgate.rule.Combine;
import io.headgate.rule.Plan;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the commands of one call to the script, in the format that {@code prelude.lua} and {@code
 * plan.lua} describe. Keys and limits that several commands share are sent once. Not thread-safe.
 */
final class Batch {
  static final int PEEK = 0;
  static final int DECIDE = 1;
  static final int RENEW = 2;
  static final int RELEASE = 3;
  static final int GIVE_BACK = 4;
  static final int HOLD = 5;
  static final int REPORT = 6;
  static final int RELEASE_AFTER = 7;
  static final int RESERVATION = 8;
  static final int RESETTING = 9;
  static final int SETTLE = 10;
  static final int MULTI_CHARGE = 1;
  static final int RETURNS = 2;
  static final int ALL = 0;
  static final int ANY = 1;
  static final int WEIGHTED = 2;

  private final CounterKeys names;
  private final LimitFormat format;
  private final Map<String, Integer> indexes = new HashMap<>();
  private final List<byte[]> keys = new ArrayList<>();
  private final List<Limit> limits = new ArrayList<>();
  private final MessagePackWriter body = new MessagePackWriter();
  private boolean hasMultiCharge;
  private boolean hasReturns;
  private boolean hasCalendar;

  /** The last command, if it was a single charge: equal ones that follow only add repetitions. */
  private @Nullable Charge lastSingle;

  private int repetitions;

  Batch(CounterKeys names, LimitFormat format) {
    this.names = names;
    this.format = format;
  }

  void write(Plan plan, boolean commit) {
    if (plan.charges().size() == 1) {
      writeSingle(plan.charges().getFirst(), commit);
      return;
    }
    beginCommand(commit ? DECIDE : PEEK).put(plan.parts().size());
    hasMultiCharge = true;
    for (var part : plan.parts()) {
      var combine = part.rule().combine();
      body.put(part.counters().size()).put(code(combine));
      body.put(combine instanceof Combine.Weighted(int permille) ? permille : 0);
      body.put(part.isEnforced() ? 1 : 0);
      for (int i = 0; i < part.counters().size(); i++) {
        write(plan.charges().get(part.from() + i));
        body.put(part.counters().get(i).weight());
      }
    }
  }

  void write(List<Charge> charges, boolean commit) {
    if (charges.size() == 1) {
      writeSingle(charges.getFirst(), commit);
      return;
    }
    beginCommand(commit ? DECIDE : PEEK).put(charges.size());
    hasMultiCharge = true;
    for (var charge : charges) {
      body.put(1)
          .put(ALL)
          .put(0)
          .put(1); // one part each, so that two charges of one counter add up
      write(charge);
      body.put(charge.counter().weight());
    }
  }

  void write(Charge charge, ScriptCommand.SlotOperation operation) {
    switch (operation) {
      case RENEW -> writeSlot(RENEW, charge);
      case RELEASE -> writeSlot(RELEASE, charge);
    }
  }

  /** Appends the release of a slot after a call. */
  void write(Charge charge, CompletedCall call) {
    writeSlot(RELEASE_AFTER, charge);
    body.put(call.durationMicros()).put(code(call.outcome()));
  }

  void writeGiveBack(ChargeReceipt receipt) {
    beginCommand(GIVE_BACK).put(0);
    hasReturns = true;
    write(receipt.charge());
    body.put(receipt.at()).put(receipt.freshAt()).put(returnsOf(receipt.charge()));
  }

  void write(Charge charge, HoldRequest request) {
    var usage = request.usage();
    beginCommand(HOLD).put(keyOf(charge)).put(limitOf(charge)).put(request.holder());
    body.put(request.order());
    body.put(usage.spent()).put(usage.held()).put(usage.until());
    body.put(request.cost()).put(request.want()).put(request.lease());
  }

  void writeReport(Charge charge) {
    beginCommand(REPORT).put(keyOf(charge)).put(limitOf(charge)).put(charge.cost());
  }

  /**
   * Appends the charge of permits that were spent: a decision at no cost, which converts a state of
   * another limit, and a report, which then always counts. Servers of earlier versions execute it
   * too.
   */
  void writeSpent(Charge charge) {
    writeSingle(charge.withCost(0), true);
    writeReport(charge);
  }

  /** Appends an operation on the counters of a reservation that are in one hash slot. */
  void write(ReservationCommand command) {
    var first = command.entries().getFirst().reserved().charge();
    var record = names.ofReservation(first.key(), command.nonce());
    hasReturns = true;
    if (isShortSettlement(command)) {
      writeSettlement(record, command);
      return;
    }
    beginCommand(RESERVATION).put(indexOf(record)).put(code(command.action()));
    body.put(command.expiresAt()).put(command.ttl()).put(command.entries().size());
    for (var entry : command.entries()) {
      var reserved = entry.reserved();
      var charge = reserved.charge();
      body.put(reserved.index()).put(keyOf(charge)).put(limitOf(charge));
      body.put(entry.target()).put(entry.more());
      body.put(charge.cost()).put(reserved.at()).put(reserved.freshAt());
      body.put(reserved.sameLimit() ? 1 : 0).put(reserved.maxAmount());
      body.put(code(reserved.onExpiry()));
      body.put(
          charge.limit() instanceof FairShare
              ? charge.shareOrNone().tenant()
              : Long.toString(charge.holder()));
      body.put(returnsOf(charge));
    }
  }

  /**
   * Returns whether a command has the short form: it settles one counter under the limit that was
   * reserved, at no more than that. The servers of a cluster may be of an earlier version, which
   * does not read this form.
   */
  private boolean isShortSettlement(ReservationCommand command) {
    if (format != LimitFormat.NUMBERS
        || command.action() != ReservationCommand.Action.SETTLE
        || command.entries().size() != 1) return false;
    var entry = command.entries().getFirst();
    var reserved = entry.reserved();
    return reserved.index() == 0
        && reserved.sameLimit()
        && reserved.charge().limit() instanceof Holdable
        && entry.target() <= reserved.charge().cost();
  }

  private void writeSettlement(String record, ReservationCommand command) {
    var entry = command.entries().getFirst();
    var reserved = entry.reserved();
    var charge = reserved.charge();
    beginCommand(SETTLE).put(indexOf(record)).put(keyOf(charge)).put(limitOf(charge));
    body.put(entry.target()).put(charge.cost()).put(reserved.at()).put(reserved.freshAt());
    body.put(command.expiresAt()).put(returnsOf(charge));
  }

  /** Appends the record of a reset that follows. */
  void writeResetting(Charge charge) {
    hasReturns = true;
    beginCommand(RESETTING).put(keyOf(charge)).put(limitOf(charge)).put(returnsOf(charge));
  }

  /** Returns the index of the key of the returns to a counter; 0 if its limit returns nothing. */
  private int returnsOf(Charge charge) {
    return charge.limit() instanceof Holdable
        ? indexOf(names.ofReturns(charge.counter(), charge.key()))
        : 0;
  }

  /** Returns which parts of the script the batch needs; see {@code prelude.lua}. */
  private int parts() {
    return (hasMultiCharge ? MULTI_CHARGE : 0) + (hasReturns ? RETURNS : 0);
  }

  private void writeSlot(int operation, Charge slot) {
    beginCommand(operation).put(keyOf(slot)).put(limitOf(slot)).put(Long.toString(slot.holder()));
  }

  private void writeSingle(Charge charge, boolean commit) {
    if (commit && repeatsLast(charge)) {
      repetitions++;
      return;
    }
    beginCommand(commit ? DECIDE : PEEK).put(0);
    write(charge);
    repetitions = 1;
    if (commit && !(charge.limit() instanceof SlotLimit)) lastSingle = charge;
    else body.put(1);
  }

  @SuppressWarnings("ReferenceEquality")
  private boolean repeatsLast(Charge charge) {
    return lastSingle != null
        && lastSingle.limit() == charge.limit()
        && lastSingle.cost() == charge.cost()
        && Objects.equals(lastSingle.share(), charge.share())
        && lastSingle.key().equals(charge.key())
        && lastSingle.counter().equals(charge.counter());
  }

  private MessagePackWriter beginCommand(int mode) {
    endSingle();
    return body.put(mode);
  }

  private void endSingle() {
    if (lastSingle != null) body.put(repetitions);
    lastSingle = null;
  }

  private void write(Charge charge) {
    body.put(keyOf(charge)).put(limitOf(charge)).put(charge.cost());
    if (charge.limit() instanceof SlotLimit) body.put(Long.toString(charge.holder()));
    if (charge.limit() instanceof FairShare) {
      var share = charge.shareOrNone();
      body.put(share.tenant()).put(share.weight());
    }
  }

  private static int code(Combine combine) {
    return switch (combine) {
      case Combine.All message -> ALL;
      case Combine.Hierarchical hierarchical -> ALL;
      case Combine.Priority priority -> ALL;
      case Combine.Any any -> ANY;
      case Combine.Weighted weighted -> WEIGHTED;
    };
  }

  private static int code(CallOutcome outcome) {
    return switch (outcome) {
      case SUCCESS -> 0;
      case ERROR -> 1;
      case DROPPED -> 2;
    };
  }

  static int code(ReservationCommand.Action action) {
    return switch (action) {
      case UPDATE -> 0;
      case SETTLE -> 1;
      case EXPIRE -> 2;
    };
  }

  static int code(ReservedCharge.ExpiryCharge onExpiry) {
    return switch (onExpiry) {
      case USED -> 0;
      case USED_OR_RESERVED -> 1;
      case RESERVED -> 2;
      case NOTHING -> 3;
    };
  }

  private int keyOf(Charge charge) {
    return indexOf(names.of(charge.counter(), charge.key()));
  }

  private int indexOf(String name) {
    var index = indexes.putIfAbsent(name, keys.size() + 1);
    if (index != null) return index;
    keys.add(name.getBytes(StandardCharsets.UTF_8));
    return keys.size();
  }

  /** Searches backwards, since a batch has few limits and most often repeats the last. */
  @SuppressWarnings("ReferenceEquality")
  private int limitOf(Charge charge) {
    var limit = charge.limit();
    for (int i = limits.size() - 1; i >= 0; i--) {
      if (limits.get(i) == limit) return i + 1;
    }
    limits.add(limit);
    hasCalendar |= format.needsEnds(limit);
    return limits.size();
  }

  /** Returns whether a limit has calendar windows, whose ends the server needs from the client. */
  boolean hasCalendar() {
    return hasCalendar;
  }

  /** Returns the keys of all counters, each once. */
  byte[][] keys() {
    return keys.toArray(byte[][]::new);
  }

  /**
   * Returns the argument of the script.
   *
   * @param now the time of the decisions, in microseconds; -1 for the server's clock
   * @param estimate the estimated server time, from which the ends of calendar windows are computed
   */
  byte[] argument(long now, long estimate) {
    endSingle();
    var message = new MessagePackWriter().put(now).put(parts()).put(limits.size());
    for (var limit : limits) format.write(limit, estimate, message);
    return message.put(body).array();
  }
}
