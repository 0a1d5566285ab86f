package io.headgate.cluster.internal;

import com.tangosol.net.cache.CacheMap;
import com.tangosol.util.BinaryEntry;
import io.headgate.internal.script.OwnerScript;
import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import io.headgate.reservation.ChargedPiece;
import io.headgate.reservation.Ledger;
import io.headgate.reservation.ReservationRecord;
import io.headgate.reservation.ReservationReply.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The entry of the record of one reservation, in the partition of its counters. Used within one
 * call of an entry processor.
 */
final class StoredReservation implements OwnerScript.OwnedReservation {
  private static final int VERSION = 1;
  private static final long MAX_MILLIS = Integer.MAX_VALUE;

  private final BinaryEntry<EntryKey, byte[]> entry;
  private final @Nullable ReservationRecord record;

  private StoredReservation(BinaryEntry<EntryKey, byte[]> entry) {
    this.entry = entry;
    var bytes = entry.getValue();
    this.record = bytes == null ? null : decode(bytes);
  }

  /**
   * Returns the reservation of a name.
   *
   * @param anchor an entry of its partition
   */
  static StoredReservation in(BinaryEntry<EntryKey, byte[]> anchor, String name) {
    return new StoredReservation(PartitionCall.entry(anchor, name));
  }

  @Override
  public ReservationRecord record(long expiresAt) {
    return record == null ? ReservationRecord.open(expiresAt) : record;
  }

  @Override
  public void store(ReservationRecord next, long now, boolean given) {
    entry.setValue(encode(next));
    long millis = Math.min(MAX_MILLIS, (next.keptUntil(now) - now) / 1_000);
    entry.expire(given ? CacheMap.EXPIRY_NEVER : millis);
  }

  static byte[] encode(ReservationRecord record) {
    var out = new NumberWriter().put(VERSION).put(code(record.status())).put(record.expiresAt());
    out.put(record.ledgers().size());
    record
        .ledgers()
        .forEach((index, ledger) -> {
          out.put(index).put(ledger.used()).put(ledger.grown()).put(ledger.pieces().size());
          for (var piece : ledger.pieces()) {
            out.put(piece.amount()).put(piece.at()).put(piece.freshAt());
          }
        });
    return out.toByteArray();
  }

  static ReservationRecord decode(byte[] bytes) {
    var in = new NumberReader(bytes);
    long version = in.next();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "a reservation is stored in format %d; this member reads %d".formatted(version, VERSION));
    }
    var status = status(in.next());
    long expiresAt = in.next();
    Map<Integer, Ledger> ledgers = new HashMap<>();
    for (int left = in.count(); left > 0; left--) {
      int index = in.count();
      long used = in.next();
      long grown = in.next();
      var pieces = new ArrayList<ChargedPiece>();
      for (int more = in.count(); more > 0; more--) {
        pieces.add(new ChargedPiece(in.next(), in.next(), in.next()));
      }
      ledgers.put(index, new Ledger(used, grown, pieces));
    }
    in.end();
    return new ReservationRecord(status, expiresAt, ledgers);
  }

  private static int code(Status status) {
    return switch (status) {
      case UNKNOWN -> 0;
      case OPEN -> 1;
      case SETTLED -> 2;
      case EXPIRED -> 3;
    };
  }

  private static Status status(long code) {
    for (var status : Status.values()) {
      if (code(status) == code) return status;
    }
    throw new IllegalArgumentException("unknown status of a reservation: " + code);
  }
}
