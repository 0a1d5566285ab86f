package io.headgate.cluster;

import io.headgate.cluster.internal.GridNode;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The cluster as one member sees it.
 *
 * @param members those that respond, ordered by id
 * @param unreachable the members that this one can't reach and that still count for the majority
 * @param expected the number of members that a majority is counted of
 * @param majority whether the members that are present may decide
 * @param partitions the number of partitions of the key space
 * @param unowned the number of partitions that have no owner at the moment
 * @param unbacked the number of partitions without a copy at another member
 */
public record ClusterStatus(
    List<MemberStatus> members,
    List<UnreachableMember> unreachable,
    int expected,
    boolean majority,
    int partitions,
    int unowned,
    int unbacked) {

  /**
   * One member.
   *
   * @param id its number in the cluster
   * @param address its address and port
   * @param self whether it is this process
   * @param owned the number of partitions that it owns
   * @param backed the number of partitions of which it has a copy
   */
  public record MemberStatus(int id, String address, boolean self, int owned, int backed) {}

  /**
   * A member that was lost without leaving in order, or that does not respond.
   *
   * @param id its number in the cluster
   * @param address its address and port
   * @param since when it was last present
   */
  public record UnreachableMember(int id, String address, Instant since) {}

  /** Copies the lists. */
  public ClusterStatus {
    members = List.copyOf(members);
    unreachable = List.copyOf(unreachable);
  }

  static ClusterStatus of(GridNode node, boolean majority) {
    var view = node.view();
    var unreachable =
        node.unreachable(view).stream()
            .map(m -> new UnreachableMember(m.id(), m.address(), m.since()))
            .toList();
    var absent =
        unreachable.stream().map(UnreachableMember::id).collect(Collectors.toUnmodifiableSet());
    var members =
        view.members().stream()
            .filter(m -> !absent.contains(m.id()))
            .map(m -> new MemberStatus(m.id(), m.address(), m.self(), m.owned(), m.backed()))
            .toList();
    return new ClusterStatus(
        members,
        unreachable,
        node.expected(),
        majority,
        view.partitions(),
        view.unowned(),
        view.unbacked());
  }
}
