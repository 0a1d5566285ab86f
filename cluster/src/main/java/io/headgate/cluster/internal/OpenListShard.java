package io.headgate.cluster.internal;

import com.tangosol.net.cache.CacheMap;
import com.tangosol.util.BinaryEntry;
import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import io.headgate.store.ReservationStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One part of the list of open reservations, at its owner. Used within one call of an entry
 * processor.
 *
 * <p>A part has one entry for each id with its expiry, one entry for each second with the ids that
 * expire in it, and a head with the number of ids of each second. So a change copies the ids of one
 * second and not the whole list. An id stays until it is removed, however late its expiry is found.
 */
final class OpenListShard {
  private static final long SECOND = 1_000_000;

  /** The highest number of ids of one subject in a part, over which ids are spread. */
  private static final int MAX_PER_SUBJECT =
      ReservationStore.MAX_PER_SUBJECT / OpenListClient.SHARDS * OpenListClient.MARGIN;

  /** The time after which a number that no id changes is forgotten. */
  private static final long SUBJECT_MILLIS = 3_600_000;

  /** The expiry that removes an id. */
  static final long REMOVED = -1;

  private final PartitionCall call;
  private final BinaryEntry<EntryKey, byte[]> anchor;
  private final long now;
  private final BinaryEntry<EntryKey, byte[]> head;
  private final TreeMap<Long, Integer> seconds = new TreeMap<>();
  private final Map<Long, Map<String, Long>> changed = new HashMap<>();
  private long added; // in this call

  private OpenListShard(PartitionCall call, BinaryEntry<EntryKey, byte[]> anchor, long now) {
    this.call = call;
    this.anchor = anchor;
    this.now = now;
    this.head = entry("head");
    var bytes = head.getValue();
    if (bytes == null) return;
    var in = new NumberReader(bytes);
    for (int left = in.count(); left > 0; left--) {
      seconds.put(in.next(), Math.toIntExact(in.next())); // no count of elements that follow
    }
    in.end();
  }

  private BinaryEntry<EntryKey, byte[]> entry(String name) {
    return PartitionCall.entry(anchor, call.keys()[0] + name);
  }

  /**
   * Adds, reschedules and removes ids: the argument has the time of a test or -1, the highest
   * number of ids, and pairs of an expiry and an id.
   *
   * @param clock the clock of this member, in microseconds
   * @return the number of ids, and the ids for which there was no room
   */
  static byte[] change(PartitionCall call, BinaryEntry<EntryKey, byte[]> anchor, long clock) {
    var in = new NumberReader(call.argument());
    long time = in.next();
    long max = in.positive();
    var changes = new HashMap<String, Long>();
    while (in.hasMore()) {
      long expiresAt = in.next();
      changes.put(in.text(), expiresAt);
    }
    var shard = new OpenListShard(call, anchor, time < 0 ? clock : time);
    var refused = new ArrayList<String>();
    changes.forEach((id, expiresAt) -> {
      if (!shard.put(id, expiresAt, max)) refused.add(id);
    });
    shard.store();
    var out = new NumberWriter().put(shard.count());
    refused.forEach(out::put);
    return out.toByteArray();
  }

  /**
   * Lists ids that have expired, the earliest second first: the argument has the time of a test or
   * -1, and the highest number of ids to return.
   *
   * @param clock the clock of this member, in microseconds
   * @return the number of all ids, and pairs of an expiry and an id
   */
  static byte[] due(PartitionCall call, BinaryEntry<EntryKey, byte[]> anchor, long clock) {
    var in = new NumberReader(call.argument());
    long time = in.next();
    int max = in.count();
    in.end();
    var shard = new OpenListShard(call, anchor, time < 0 ? clock : time);
    var out = new NumberWriter().put(shard.count());
    int listed = 0;
    for (long second : shard.seconds.keySet()) {
      if (second > Math.floorDiv(shard.now, SECOND) || listed >= max) break;
      for (var each : shard.read(second).entrySet()) {
        if (each.getValue() > shard.now || listed >= max) continue;
        out.put(each.getValue()).put(each.getKey());
        listed++;
      }
    }
    return out.toByteArray();
  }

  private long count() {
    return seconds.values().stream().mapToLong(Integer::longValue).sum();
  }

  /** Changes one id; returns false if there is no room for a new one. */
  private boolean put(String id, long expiresAt, long max) {
    var entry = entry("id|" + id);
    var bytes = entry.getValue();
    if (bytes != null) {
      secondOf(new NumberReader(bytes).next()).remove(id);
      added--;
    } else if (expiresAt == REMOVED) {
      return true;
    } else if (count() + added >= max || !countSubject(id, 1)) {
      return false;
    }
    if (expiresAt == REMOVED) {
      entry.remove(false);
      return countSubject(id, -1);
    }
    entry.setValue(new NumberWriter().put(expiresAt).toByteArray());
    entry.expire(CacheMap.EXPIRY_NEVER);
    secondOf(expiresAt).put(id, expiresAt);
    added++;
    return true;
  }

  /**
   * Changes the number of ids of a subject in this part, unless it would be too high. An id of an
   * earlier version was not counted, so that its removal finds no number.
   */
  private boolean countSubject(String id, int change) {
    var entry = entry("subject|" + ReservationStore.subjectOf(id));
    var bytes = entry.getValue();
    long number = (bytes == null ? 0 : new NumberReader(bytes).next()) + change;
    if (number > MAX_PER_SUBJECT) return false;
    if (number > 0) {
      entry.setValue(new NumberWriter().put(number).toByteArray());
      entry.expire(SUBJECT_MILLIS);
    } else if (bytes != null) {
      entry.remove(false);
    }
    return true;
  }

  /** Returns the ids of the second of an expiry, which the caller is about to change. */
  private Map<String, Long> secondOf(long expiresAt) {
    return changed.computeIfAbsent(Math.floorDiv(expiresAt, SECOND), this::read);
  }

  private Map<String, Long> read(long second) {
    var ids = new HashMap<String, Long>();
    var bytes = entry("at|" + second).getValue();
    if (bytes == null) return ids;
    var in = new NumberReader(bytes);
    while (in.hasMore()) {
      long expiresAt = in.next();
      ids.put(in.text(), expiresAt);
    }
    return ids;
  }

  private void store() {
    boolean dropped = dropExpired();
    if (changed.isEmpty() && !dropped) return;
    changed.forEach(this::store);
    if (seconds.isEmpty()) {
      head.remove(false);
      return;
    }
    var out = new NumberWriter().put(seconds.size());
    seconds.forEach((second, count) -> out.put(second).put(count));
    head.setValue(out.toByteArray());
    head.expire(CacheMap.EXPIRY_NEVER);
  }

  /** Drops the first seconds if their entries, which an earlier version wrote, have expired. */
  private boolean dropExpired() {
    boolean dropped = false;
    while (!seconds.isEmpty() && entry("at|" + seconds.firstKey()).getValue() == null) {
      seconds.pollFirstEntry();
      dropped = true;
    }
    return dropped;
  }

  private void store(long second, @Nullable Map<String, Long> ids) {
    var entry = entry("at|" + second);
    if (ids == null || ids.isEmpty()) {
      seconds.remove(second);
      entry.remove(false);
      return;
    }
    seconds.put(second, ids.size());
    var out = new NumberWriter();
    ids.forEach((id, expiresAt) -> out.put(expiresAt).put(id));
    entry.setValue(out.toByteArray());
    entry.expire(CacheMap.EXPIRY_NEVER);
  }
}
