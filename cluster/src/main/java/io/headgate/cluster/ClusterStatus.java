package io.headgate.cluster;

import io.headgate.cluster.internal.GridNode;
import java.util.List;

/**
 * The cluster as one member sees it.
 *
 * @param members ordered by id
 * @param expected the number of members that a majority is counted of
 * @param majority whether the members that are present may decide
 * @param partitions the number of partitions of the key space
 * @param unowned the number of partitions that have no owner at the moment
 * @param unbacked the number of partitions without a copy at another member
 */
public record ClusterStatus(
    List<MemberStatus> members,
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

  /** Copies the list. */
  public ClusterStatus {
    members = List.copyOf(members);
  }

  static ClusterStatus of(GridNode node, boolean majority) {
    var view = node.view();
    var members =
        view.members().stream()
            .map(m -> new MemberStatus(m.id(), m.address(), m.self(), m.owned(), m.backed()))
            .toList();
    return new ClusterStatus(
        members, node.expected(), majority, view.partitions(), view.unowned(), view.unbacked());
  }
}
