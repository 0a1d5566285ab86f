package io.headgate.store;

import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationCommand.Action;
import io.headgate.reservation.ReservationRecord;
import io.headgate.reservation.ReservationReply;
import io.headgate.reservation.ReservationReply.Status;
import io.headgate.reservation.ReservationStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The records of reservations in memory. Open ones are ordered by expiry, and bounded in number, in
 * bytes and for each subject. The records of those that have ended are kept for {@link
 * ReservationCommand#KEPT_MICROS}, at most as many as may be open, in half as many bytes; the
 * oldest are dropped first. Thread-safe.
 */
final class ReservationTable {
  /** The order of open reservations. Nonces are random, so that no two keys are equal. */
  private record Due(long expiresAt, String nonce) implements Comparable<Due> {
    @Override
    public int compareTo(Due other) {
      int byTime = Long.compare(expiresAt, other.expiresAt);
      return byTime == 0 ? nonce.compareTo(other.nonce) : byTime;
    }
  }

  /** The id of an open reservation, and the bytes that it takes. */
  private record Open(String token, int bytes) {
    static Open of(String token, ReservationRecord record) {
      return new Open(token, token.length() + bytesOf(record));
    }
  }

  /** A reservation that has ended, which is dropped later. */
  private record Ended(String nonce, long dropAt, int bytes) {}

  private static final String ADVICE =
      "settle or cancel reservations when their requests end, or give them a shorter ttl";
  private static final String BYTES_ADVICE =
      "settle or cancel reservations when their requests end, or give the service a larger heap"
          + " (-Xmx)";

  private static final int ENTRY_BYTES = 600; // of both maps, the record and the texts
  private static final int LEDGER_BYTES = 500; // with the most pieces

  private final int max;
  private final int maxPerSubject;
  private final long maxEndedBytes;
  private final AtomicInteger open = new AtomicInteger();
  private final ConcurrentHashMap<String, Integer> subjects = new ConcurrentHashMap<>();
  private final Budget count;
  private final Budget bytes;
  private final AtomicLong endedBytes = new AtomicLong();
  private final ConcurrentHashMap<String, ReservationRecord> records = new ConcurrentHashMap<>();
  private final ConcurrentSkipListMap<Due, Open> due = new ConcurrentSkipListMap<>();
  private final Queue<Ended> ended = new ConcurrentLinkedQueue<>();
  private final AtomicInteger endedCount = new AtomicInteger();

  /**
   * Creates an empty table.
   *
   * @param max the highest number of open reservations
   * @param maxPerSubject the highest number of open reservations of one subject
   * @param maxBytes the memory that open reservations may take
   */
  ReservationTable(int max, int maxPerSubject, long maxBytes) {
    this.max = max;
    this.maxPerSubject = maxPerSubject;
    this.maxEndedBytes = maxBytes / 2;
    this.count = new Budget("reservations", max, open::get, ADVICE);
    this.bytes = new Budget("reservation_bytes", maxBytes, BYTES_ADVICE);
  }

  /** Returns the bounds on open reservations; refusals of one subject are counted by the first. */
  List<Budget> budgets() {
    return List.of(count, bytes);
  }

  /** Returns whether there is no room, and counts the refusal of another reservation if so. */
  boolean isFull() {
    if (open.get() < max) return false;
    count.refuse();
    return true;
  }

  long openCount() {
    return open.get();
  }

  /** Adds an open reservation; returns false if there is no room. */
  boolean add(String nonce, String token, ReservationRecord record) {
    var one = Open.of(token, record);
    if (!takeRoom(one)) return false;
    records.put(nonce, record);
    due.put(new Due(record.expiresAt(), nonce), one);
    return true;
  }

  private boolean takeRoom(Open one) {
    if (!bytes.tryTake(one.bytes)) return false;
    if (open.incrementAndGet() <= max && takePlaceOf(one.token)) return true;
    open.decrementAndGet();
    bytes.giveBack(one.bytes);
    count.refuse();
    return false;
  }

  /** Takes a place of the subject of an id. */
  private boolean takePlaceOf(String token) {
    var taken = new boolean[1];
    subjects.compute(
        ReservationStore.subjectOf(token),
        (same, number) -> {
          int before = number == null ? 0 : number;
          taken[0] = before < maxPerSubject;
          return taken[0] ? Integer.valueOf(before + 1) : number;
        });
    return taken[0];
  }

  private void giveRoomBack(Open one) {
    open.decrementAndGet();
    bytes.giveBack(one.bytes);
    subjects.computeIfPresent(
        ReservationStore.subjectOf(one.token), (same, number) -> number == 1 ? null : number - 1);
  }

  private static int bytesOf(ReservationRecord record) {
    return ENTRY_BYTES + LEDGER_BYTES * record.ledgers().size();
  }

  /**
   * Applies a step to a record, one at a time per record.
   *
   * @return the reply of the step, or {@link ReservationReply#UNKNOWN} if there is no record and
   *     the reservation had one
   * @throws StoreException if a reservation that had no record needs one and there is no room
   */
  ReservationReply update(
      ReservationCommand command, long now, Function<ReservationRecord, ReservationStep> step) {
    var reply = new ReservationReply[] {ReservationReply.UNKNOWN};
    records.compute(
        command.nonce(),
        (nonce, record) -> {
          if (record == null) {
            if (!command.isUnrecorded()) return null;
            return first(command, step, reply);
          }
          var result = step.apply(record);
          reply[0] = result.reply();
          if (command.action() == Action.EXPIRE && result.reply().status() == Status.UNKNOWN) {
            drop(nonce, record); // none of its rules existed, so that it holds nothing
            return null;
          }
          reorder(command, record, result.record());
          return result.record();
        });
    dropEnded(now);
    return reply[0];
  }

  /** Applies the first operation to a reservation that held nothing and so had no record. */
  private @Nullable ReservationRecord first(
      ReservationCommand command,
      Function<ReservationRecord, ReservationStep> step,
      ReservationReply[] reply) {
    var opened = command.opened();
    var one = Open.of(command.token(), opened);
    boolean stays = command.action() == Action.UPDATE;
    if (stays && !takeRoom(one)) throw ReservationStore.full();
    var result = step.apply(opened);
    reply[0] = result.reply();
    if (result.reply().status() == Status.UNKNOWN) {
      if (stays) giveRoomBack(one);
      return null;
    }
    if (command.action() == Action.EXPIRE && result.reply().status() == Status.OPEN) return null;
    if (stays) due.put(new Due(result.record().expiresAt(), command.nonce()), one);
    else end(command.nonce(), result.record());
    return result.record();
  }

  private void drop(String nonce, ReservationRecord record) {
    var one = due.remove(new Due(record.expiresAt(), nonce));
    if (one != null) giveRoomBack(one);
  }

  private void reorder(
      ReservationCommand command, ReservationRecord before, ReservationRecord after) {
    if (before.status() != Status.OPEN) return;
    boolean stays = after.status() == Status.OPEN;
    if (stays && before.expiresAt() == after.expiresAt()) return;
    var one = due.remove(new Due(before.expiresAt(), command.nonce()));
    if (one == null) return;
    if (stays) {
      due.put(new Due(after.expiresAt(), command.nonce()), one);
      return;
    }
    giveRoomBack(one);
    end(command.nonce(), after);
  }

  private void end(String nonce, ReservationRecord record) {
    int size = bytesOf(record);
    ended.add(new Ended(nonce, record.expiresAt() + ReservationCommand.KEPT_MICROS, size));
    endedCount.incrementAndGet();
    endedBytes.addAndGet(size);
  }

  /** Drops records that are no longer needed, and the oldest of too many. */
  private void dropEnded(long now) {
    for (@Nullable Ended first; (first = ended.peek()) != null; ) {
      boolean fits = endedCount.get() <= max && endedBytes.get() <= maxEndedBytes;
      if (fits && first.dropAt > now) return;
      if (!ended.remove(first)) continue; // another thread has
      endedCount.decrementAndGet();
      endedBytes.addAndGet(-first.bytes);
      records.remove(first.nonce);
    }
  }

  /** Returns the tokens of at most {@code limit} open reservations that have expired. */
  List<String> expired(long now, int limit) {
    dropEnded(now);
    return expiringBy(now, limit);
  }

  /** Returns the tokens of at most {@code limit} open reservations, those that expire first. */
  List<String> listed(int limit) {
    return expiringBy(Long.MAX_VALUE, limit);
  }

  private List<String> expiringBy(long now, int limit) {
    var tokens = new ArrayList<String>();
    for (var entry : due.entrySet()) {
      if (entry.getKey().expiresAt > now || tokens.size() == limit) break;
      tokens.add(entry.getValue().token);
    }
    return tokens;
  }

  /** Removes an open reservation whose token can't be read. */
  void discard(String token) {
    for (var entry : due.entrySet()) {
      if (!entry.getValue().token.equals(token)) continue;
      var one = due.remove(entry.getKey());
      if (one == null) continue;
      giveRoomBack(one);
      records.remove(entry.getKey().nonce);
    }
  }
}
