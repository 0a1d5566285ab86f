package io.headgate.cluster.internal;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The number of members that a majority is counted of.
 *
 * <p>It grows with every member that joins, and shrinks by one with every member that announces
 * that it leaves. Such a member is still present until it has handed its counters over, and does
 * not make the number grow again meanwhile; if it has not left after {@link #LEAVE_NANOS}, it
 * counts again. Members that disappear still count: they may be on the other side of a partition.
 * After a minute in which the present members were a majority throughout, the missing ones are
 * taken as lost. A minority never shrinks the number, so it never becomes a majority by itself.
 *
 * <p>Of one or two members, one is enough: two members can't tell a partition from the loss of the
 * other. Thread-safe. Times are nanoseconds of a monotonic clock.
 */
final class ClusterSize {
  static final long SHRINK_DELAY_NANOS = Duration.ofMinutes(1).toNanos();

  /** How long a member may take to leave after its announcement. */
  static final long LEAVE_NANOS = Duration.ofSeconds(30).toNanos();

  private static final int MAX_LEAVING = 1_000;

  private int size = 1; // guarded by this
  // The times of the announcements of members that have not left yet, by id; guarded by this.
  private final Map<Integer, Long> leaving = new HashMap<>();
  private int present = 1; // guarded by this
  private long since; // of the present members; guarded by this

  ClusterSize(long now) {
    this.since = now;
  }

  /** Records the number of members that are present. */
  synchronized void present(int members, long now) {
    leaving.values().removeIf(since -> now - since >= LEAVE_NANOS);
    if (members != present) {
      present = members;
      since = now;
    }
    size = Math.max(size, members - leaving.size());
    if (members < size && isMajority(members) && now - since >= SHRINK_DELAY_NANOS) size = members;
  }

  /** Records that a member has announced that it leaves. */
  synchronized void leaving(int id, long now) {
    if (leaving.size() >= MAX_LEAVING || leaving.putIfAbsent(id, now) != null) return;
    size = Math.max(1, size - 1);
  }

  /**
   * Records that a member is gone. Members are told apart by id, as another may have joined by the
   * time at which the present members are counted.
   */
  synchronized void left(int id) {
    leaving.remove(id);
  }

  /** Starts again as the only member, after this member was expelled and has to join anew. */
  synchronized void restart(long now) {
    size = 1;
    leaving.clear();
    present = 1;
    since = now;
  }

  /** Returns the number of members that a majority is counted of. */
  synchronized int size() {
    return size;
  }

  /** Returns whether the members that are present may decide. */
  synchronized boolean isMajority() {
    return isMajority(present);
  }

  /** Returns whether that many members may decide. */
  synchronized boolean isMajority(int members) {
    return size <= 2 ? members >= 1 : members > size / 2;
  }
}
