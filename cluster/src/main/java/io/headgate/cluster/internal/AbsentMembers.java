package io.headgate.cluster.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The members that this one can't reach: those that were lost and still count for the majority, and
 * those that do not respond while this member may not expel them. Thread-safe.
 */
public final class AbsentMembers {
  /** The grid repeats the attempt to expel members several times a second. */
  static final Duration RESPONSE_TIME = Duration.ofSeconds(5);

  private static final int MAX_MEMBERS = 1_000;

  /**
   * One member.
   *
   * @param id its number in the cluster
   * @param address its address and port
   * @param since when it was last present
   */
  public record Absent(int id, String address, Instant since) {}

  private final Map<Integer, Absent> lost = new LinkedHashMap<>(); // guarded by this
  private final Set<Integer> leaving = new HashSet<>(); // guarded by this
  private Set<Integer> responsive = Set.of(); // while this is a minority; guarded by this
  private Instant minoritySince = Instant.MIN; // guarded by this
  private Instant minorityUntil = Instant.MIN; // guarded by this

  AbsentMembers() {}

  /** Records that a member joined. One that starts again has a new id and may have its address. */
  synchronized void joined(String address) {
    lost.values().removeIf(member -> member.address.equals(address));
  }

  /** Records that a member announced that it leaves in order. */
  synchronized void leaving(int id) {
    if (leaving.size() < MAX_MEMBERS) leaving.add(id);
  }

  /** Records that a member is gone. */
  synchronized void left(int id, String address, Instant now) {
    if (leaving.remove(id) || lost.size() >= MAX_MEMBERS) return;
    lost.put(id, new Absent(id, address, now));
  }

  /**
   * Records that only some members respond, and that they are no majority.
   *
   * @param ids those that respond, besides this member
   */
  synchronized void onlyRespond(Set<Integer> ids, Instant now) {
    if (!isMinority(now)) minoritySince = now;
    responsive = Set.copyOf(ids);
    minorityUntil = now.plus(RESPONSE_TIME);
  }

  /** Starts again, after this member was expelled. */
  synchronized void clear() {
    lost.clear();
    leaving.clear();
    minorityUntil = Instant.MIN;
  }

  /** Returns whether so many members do not respond that the others are no majority. */
  synchronized boolean isMinority(Instant now) {
    return now.isBefore(minorityUntil);
  }

  /**
   * Returns the members that can't be reached.
   *
   * @param present the members that the grid has not expelled
   * @param missing the number of members that count for the majority and are not present; members
   *     that were lost before the last of these count no more
   */
  synchronized List<Absent> list(List<MembershipView.View> present, int missing, Instant now) {
    var all = new ArrayList<>(lost.values());
    int counted = Math.max(0, Math.min(missing, all.size()));
    all.subList(0, all.size() - counted).clear();
    if (!isMinority(now)) return all;
    for (var member : present) {
      if (member.self() || responsive.contains(member.id())) continue;
      all.add(new Absent(member.id(), member.address(), minoritySince));
    }
    return all;
  }
}
