package io.headgate.cluster.internal;

import com.tangosol.net.Member;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;

/**
 * Removes marks that the grid leaves on members, so that a further failure of them is noticed.
 *
 * <p>The grid marks a member that does not respond, and asks another member to confirm it. While
 * the mark is set it does not ask again. If the other member hangs too, the request ends without a
 * result, and the mark stays after both have returned: a later failure of the marked member would
 * never be confirmed. A mark that is older than {@link #MAX_NANOS} belongs to a request that has
 * ended. Without it the grid asks once more if the member still does not respond. Whether it may be
 * expelled is decided by {@link MajorityPolicy} in any case.
 *
 * <p>The grid does not export the mark. Where its packages are closed, as on the module path, this
 * does nothing. Confined to one thread.
 */
final class SuspectMarks {
  /** Longer than the grid needs for a confirmation, which is the time to deliver a packet. */
  static final long MAX_NANOS = Duration.ofSeconds(5).toNanos();

  private final Map<Integer, Long> since = new HashMap<>(); // by the id of a marked member
  private boolean closed;

  /**
   * Removes the marks that are too old.
   *
   * @param members the members of the cluster
   * @param now nanoseconds of a monotonic clock
   */
  void update(Set<Member> members, long now) {
    if (closed) return;
    try {
      for (var member : members) update(member, now);
    } catch (ReflectiveOperationException e) {
      closed = true;
      GridNode.LOG.log(
          Level.FINE,
          "the marks of suspect members can't be read; failures may be noticed late",
          e);
    }
  }

  private void update(Member member, long now) throws ReflectiveOperationException {
    int id = member.getId();
    if (!(boolean) method(member, "isDeaf").invoke(member)) {
      since.remove(id);
      return;
    }
    if (now - since.computeIfAbsent(id, first -> now) < MAX_NANOS) return;
    since.remove(id);
    method(member, "setDeaf", boolean.class).invoke(member, false);
    GridNode.LOG.info(() -> "member %d is watched for failures again".formatted(id));
  }

  private static Method method(Member member, String name, Class<?>... types)
      throws NoSuchMethodException {
    return member.getClass().getMethod(name, types);
  }
}
