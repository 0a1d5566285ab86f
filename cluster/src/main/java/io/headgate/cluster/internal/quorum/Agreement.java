package io.headgate.cluster.internal.quorum;

import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What one member knows of the voters: those that were agreed on last, and those of a change that
 * may be in force. This is the whole rule of which members decide. Immutable.
 *
 * <p>A member decides only while it sees a {@linkplain Voters#isQuorum quorum} of the agreed
 * voters, and of the proposed ones if it knows a proposal. A proposal is agreed on once a quorum of
 * both knows it. So no two sets of members that do not see each other both decide: one that knows
 * nothing of a change and one that has agreed on it would both have a quorum of the voters before
 * it, and thus a member in common. It is the joint consensus of Raft, for one change at a time.
 * {@code ClusterSize.tla} is a model of it.
 *
 * <p>If the network falls apart while two members propose different changes, it may be that neither
 * is ever agreed on, and that the voters can't change until a member is restarted without its
 * memory. No two sets decide then either.
 *
 * @param agreed the voters that were agreed on last
 * @param proposed the voters of the change that may be in force; its version is one higher
 */
public record Agreement(Voters agreed, Optional<Voters> proposed) {
  /** Validates the versions; throws {@link IllegalArgumentException}. */
  public Agreement {
    long next = agreed.version() + 1;
    if (proposed.filter(voters -> voters.version() != next).isPresent()) {
      throw new IllegalArgumentException("a proposal is not of version " + next);
    }
  }

  /** Returns an agreement without a change under way. */
  public static Agreement of(Voters voters) {
    return new Agreement(voters, Optional.empty());
  }

  /** Returns whether there is nothing to remember besides the list of members at the start. */
  public boolean isFounding() {
    return agreed.version() == 0 && proposed.isEmpty();
  }

  /** Returns whether the members that are present may decide. */
  public boolean mayDecide(Set<String> present) {
    return agreed.isQuorum(present) && proposed.map(next -> next.isQuorum(present)).orElse(true);
  }

  /** Returns the number of members of which a majority must be seen. */
  public int size() {
    return Math.max(agreed.size(), proposed.map(Voters::size).orElse(0));
  }

  /**
   * Returns whether a member that knows this may count another one as present: it knows what that
   * one knows.
   */
  boolean includes(Agreement other) {
    long version = other.agreed.version();
    if (version != agreed.version()) return version < agreed.version();
    return other.agreed.equals(agreed)
        && (other.proposed.isEmpty() || other.proposed.equals(proposed));
  }

  /** Returns what a member knows that has learned what another one knows. */
  Agreement merge(Agreement other) {
    if (other.agreed.version() > agreed.version()) return other;
    // The first proposal stays: a member that changed its mind could be counted for both.
    return proposed.isEmpty() && other.agreed.equals(agreed) ? other : this;
  }

  /**
   * Proposes other voters, unless a change is under way or they are the same. The first proposal
   * founds the cluster: from then on, lists of members at the start no longer matter.
   */
  Agreement propose(Set<String> voters) {
    var next = Voters.of(agreed.version() + 1, voters);
    boolean same = agreed.version() > 0 && agreed.ids().equals(next.ids());
    return proposed.isPresent() || same ? this : new Agreement(agreed, Optional.of(next));
  }

  /**
   * Agrees on the proposal if enough members know it.
   *
   * @param known what members, this one included, were last heard to know, by their address
   */
  Agreement agree(Map<String, Agreement> known) {
    if (proposed.isEmpty()) return this;
    var next = proposed.get();
    var knowing = new HashSet<String>();
    known.forEach((id, each) -> {
      if (each.equals(this) || each.agreed.equals(next)) knowing.add(id);
    });
    return agreed.isQuorum(knowing) && next.isQuorum(knowing) ? of(next) : this;
  }

  /** Writes this agreement. */
  public void writeTo(NumberWriter out) {
    agreed.writeTo(out);
    out.put(proposed.isPresent() ? 1 : 0);
    proposed.ifPresent(next -> next.writeTo(out));
  }

  /** Reads an agreement; throws {@link IllegalArgumentException} if it is malformed. */
  public static Agreement readFrom(NumberReader in) {
    var agreed = Voters.readFrom(in);
    boolean changes = in.next() == 1;
    return new Agreement(agreed, changes ? Optional.of(Voters.readFrom(in)) : Optional.empty());
  }
}
