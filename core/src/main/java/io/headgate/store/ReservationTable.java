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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The records of reservations in memory. Open ones are ordered by expiry. The records of those that
 * have ended are kept for {@link ReservationCommand#KEPT_MICROS}, and at most as many as may be
 * open; the oldest are dropped first. Thread-safe.
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

  /** A reservation that has ended, which is dropped later. */
  private record Ended(String nonce, long dropAt) {}

  private final int max;
  private final AtomicInteger open = new AtomicInteger();
  private final ConcurrentHashMap<String, ReservationRecord> records = new ConcurrentHashMap<>();
  private final ConcurrentSkipListMap<Due, String> due = new ConcurrentSkipListMap<>(); // to tokens
  private final Queue<Ended> ended = new ConcurrentLinkedQueue<>();
  private final AtomicInteger endedCount = new AtomicInteger();

  /**
   * Creates an empty table.
   *
   * @param max the highest number of open reservations
   */
  ReservationTable(int max) {
    this.max = max;
  }

  boolean isFull() {
    return open.get() >= max;
  }

  long openCount() {
    return open.get();
  }

  /** Adds an open reservation; returns false if there is no room. */
  boolean add(String nonce, String token, ReservationRecord record) {
    if (open.incrementAndGet() > max) {
      open.decrementAndGet();
      return false;
    }
    records.put(nonce, record);
    due.put(new Due(record.expiresAt(), nonce), token);
    return true;
  }

  /**
   * Applies a step to a record, one at a time per record.
   *
   * @return the reply of the step, or {@link ReservationReply#UNKNOWN} if there is no record and
   *     the reservation is older than records are kept
   */
  ReservationReply update(
      ReservationCommand command, long now, Function<ReservationRecord, ReservationStep> step) {
    var reply = new ReservationReply[] {ReservationReply.UNKNOWN};
    records.compute(
        command.nonce(),
        (nonce, record) -> {
          if (record == null) return null;
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

  private void drop(String nonce, ReservationRecord record) {
    if (due.remove(new Due(record.expiresAt(), nonce)) != null) open.decrementAndGet();
  }

  private void reorder(
      ReservationCommand command, ReservationRecord before, ReservationRecord after) {
    if (before.status() != Status.OPEN) return;
    boolean stays = after.status() == Status.OPEN;
    if (stays && before.expiresAt() == after.expiresAt()) return;
    var token = due.remove(new Due(before.expiresAt(), command.nonce()));
    if (token == null) return;
    if (stays) {
      due.put(new Due(after.expiresAt(), command.nonce()), token);
      return;
    }
    open.decrementAndGet();
    ended.add(new Ended(command.nonce(), after.expiresAt() + ReservationCommand.KEPT_MICROS));
    endedCount.incrementAndGet();
  }

  /** Drops records that are no longer needed, and the oldest of too many. */
  private void dropEnded(long now) {
    for (@Nullable Ended first; (first = ended.peek()) != null; ) {
      if (endedCount.get() <= max && first.dropAt > now) return;
      if (!ended.remove(first)) continue; // another thread has
      endedCount.decrementAndGet();
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
      tokens.add(entry.getValue());
    }
    return tokens;
  }

  /** Removes an open reservation whose token can't be read. */
  void discard(String token) {
    for (var entry : due.entrySet()) {
      if (!entry.getValue().equals(token) || due.remove(entry.getKey()) == null) continue;
      open.decrementAndGet();
      records.remove(entry.getKey().nonce);
    }
  }
}
