package io.headgate.cluster.internal.quorum;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Follows which members are present and what they know, and takes part in the agreements on the
 * voters. See {@link Agreement} for the rule.
 *
 * <p>Members that are present and no voters are proposed as voters, and those that announce that
 * they leave are proposed to be none. A voter that is lost stays one, since it may be on the other
 * side of a partition, until it returns or another member takes its place, after {@link
 * #LOST_NANOS}: the number of voters never shrinks by a loss.
 *
 * <p>Thread-safe. Times are nanoseconds of a monotonic clock.
 */
public final class MemberQuorum {
  /** How long a voter is lost before a member that joins takes its place. */
  static final long LOST_NANOS = Duration.ofMinutes(1).toNanos();

  /** How long a member counts as present without being heard; they speak once a second. */
  public static final long HEARD_NANOS = Duration.ofSeconds(5).toNanos();

  private static final int MAX_NODES = 2 * Voters.MAX_VOTERS;

  /**
   * What a member says.
   *
   * @param id its address
   * @param leaving whether it leaves in order
   * @param knows what it knows
   */
  public record Statement(String id, boolean leaving, Agreement knows) {}

  private record Heard(Statement statement, long at) {}

  private final String self;
  private final Map<Integer, Heard> heard = new HashMap<>(); // by node of the grid; guarded by this
  private final Map<String, Long> lost = new HashMap<>(); // voters, and since when; guarded by this
  private Set<Integer> nodes = Set.of(); // besides this member; guarded by this
  private Agreement knows; // guarded by this
  private boolean leaving; // guarded by this

  /**
   * Creates a quorum.
   *
   * @param self the address of this member
   * @param remembered what this member knew before
   */
  public MemberQuorum(String self, Agreement remembered) {
    this.self = self;
    this.knows = remembered;
  }

  /** Returns whether this member knows of no cluster that was founded. */
  public synchronized boolean isFounding() {
    return knows.isFounding();
  }

  /** Sets the members that found the cluster, unless it was founded already. */
  public synchronized void founders(Voters voters) {
    if (knows.isFounding()) knows = Agreement.of(voters);
  }

  /** Records which nodes the grid has, besides this member. */
  public synchronized void present(Set<Integer> others) {
    nodes = Set.copyOf(others);
    heard.keySet().retainAll(nodes);
  }

  /**
   * Records what a member says.
   *
   * @return whether it is not what that member said before
   */
  public synchronized boolean hear(int node, Statement statement, long now) {
    if (heard.size() >= MAX_NODES && !heard.containsKey(node)) return false;
    var before = heard.put(node, new Heard(statement, now));
    knows = knows.merge(statement.knows);
    return before == null || !before.statement.equals(statement);
  }

  /** Records that this member leaves. */
  public synchronized void leave() {
    leaving = true;
  }

  /** Returns what this member says. */
  public synchronized Statement statement() {
    return new Statement(self, leaving, knows);
  }

  /** Returns whether this member is, or may be, a voter. */
  public synchronized boolean isVoter() {
    return knows.agreed().ids().contains(self)
        || knows.proposed().map(next -> next.ids().contains(self)).orElse(false);
  }

  /** Returns the number of members of which a majority must be seen. */
  public synchronized int size() {
    return knows.size();
  }

  /** Returns whether the members that were heard lately may decide. */
  public synchronized boolean mayDecide(long now) {
    return knows.mayDecide(seen(nodes, now));
  }

  /** Returns whether these nodes, and this member, may decide. */
  public synchronized boolean mayDecide(Set<Integer> of, long now) {
    return knows.mayDecide(seen(of, now));
  }

  /** Returns how many of the members that count were heard lately, this one included. */
  public synchronized int seen(long now) {
    var seen = seen(nodes, now);
    if (knows.agreed().ids().size() == knows.agreed().size()) seen.retainAll(knows.agreed().ids());
    return seen.size();
  }

  /** Returns the voters that were not heard lately. */
  public synchronized Set<String> missing(long now) {
    var missing = new TreeSet<>(knows.agreed().ids());
    missing.removeAll(seen(nodes, now));
    return missing;
  }

  private Set<String> seen(Set<Integer> of, long now) {
    var seen = new HashSet<String>();
    seen.add(self);
    heard.forEach((node, each) -> {
      if (of.contains(node)
          && now - each.at <= HEARD_NANOS
          && knows.includes(each.statement.knows)) {
        seen.add(each.statement.id);
      }
    });
    return seen;
  }

  /**
   * Takes a step towards the next agreement.
   *
   * @param first whether this member is the one that proposes: of the nodes, the first
   * @return whether there is something new to remember and to say
   */
  public synchronized boolean step(boolean first, long now) {
    var before = knows;
    var seen = seen(nodes, now);
    for (var id : knows.agreed().ids()) {
      if (seen.contains(id)) lost.remove(id);
      else lost.putIfAbsent(id, now);
    }
    lost.keySet().retainAll(knows.agreed().ids());
    knows = knows.agree(known());
    // A node that was not heard yet may be a voter.
    if (first && heard.keySet().equals(nodes) && knows.mayDecide(seen)) propose(now);
    knows = knows.agree(known());
    return !knows.equals(before);
  }

  private Map<String, Agreement> known() {
    var known = new HashMap<String, Agreement>();
    for (var each : heard.values()) known.put(each.statement.id, each.statement.knows);
    known.put(self, knows);
    return known;
  }

  private void propose(long now) {
    var goes = new HashSet<String>();
    var stays = new HashSet<String>();
    (leaving ? goes : stays).add(self);
    for (var each : heard.values()) {
      if (now - each.at > HEARD_NANOS) continue;
      (each.statement.leaving ? goes : stays).add(each.statement.id);
    }
    var next = new TreeSet<>(knows.agreed().ids());
    next.removeAll(goes);
    var joins = new TreeSet<>(stays);
    joins.removeAll(next);
    // A lost one that returns needs its place, so those that join wait for its time to be over.
    if (lost.isEmpty()) {
      next.addAll(joins);
    } else {
      var replaced =
          lost.entrySet().stream()
              .filter(each -> now - each.getValue() >= LOST_NANOS)
              .sorted(Map.Entry.comparingByValue(Comparator.naturalOrder()))
              .map(Map.Entry::getKey)
              .filter(next::contains)
              .limit(joins.size())
              .toList();
      next.removeAll(replaced);
      joins.stream().limit(replaced.size()).forEach(next::add);
    }
    // Without a majority of those that stay, the change could not be agreed on.
    if (!next.isEmpty() && Voters.of(1, next).isQuorum(stays)) knows = knows.propose(next);
  }
}
