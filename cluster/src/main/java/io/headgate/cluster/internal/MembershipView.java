package io.headgate.cluster.internal;

import com.tangosol.net.Member;
import com.tangosol.net.PartitionedService;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The members of the cluster as this member sees them.
 *
 * @param members ordered by id
 * @param partitions the number of partitions
 * @param unowned the number of partitions without an owner, which are being moved
 * @param unbacked the number of partitions without a copy at another member
 */
public record MembershipView(List<View> members, int partitions, int unowned, int unbacked) {
  /**
   * One member.
   *
   * @param id its number, which no other member has had
   * @param address its address and port
   * @param self whether it is this process
   * @param owned the number of partitions that it owns
   * @param backed the number of partitions of which it has a copy
   */
  public record View(int id, String address, boolean self, int owned, int backed) {}

  static MembershipView of(PartitionedService service) {
    int count = service.getPartitionCount();
    int unowned = 0;
    int unbacked = 0;
    Map<Integer, Integer> owned = new HashMap<>();
    Map<Integer, Integer> backed = new HashMap<>();
    for (int partition = 0; partition < count; partition++) {
      var owner = service.getPartitionOwner(partition);
      if (owner == null) unowned++;
      else owned.merge(owner.getId(), 1, Integer::sum);
      var backup = service.getBackupCount() == 0 ? null : service.getBackupOwner(partition, 1);
      if (backup == null) unbacked++;
      else backed.merge(backup.getId(), 1, Integer::sum);
    }
    int self = service.getCluster().getLocalMember().getId();
    var views = new ArrayList<View>();
    for (var each : service.getInfo().getServiceMembers()) {
      var member = (Member) each;
      int id = member.getId();
      views.add(
          new View(
              id,
              address(member),
              id == self,
              owned.getOrDefault(id, 0),
              backed.getOrDefault(id, 0)));
    }
    views.sort(Comparator.comparingInt(View::id));
    return new MembershipView(List.copyOf(views), count, unowned, unbacked);
  }

  /** Returns the address and port of a member. */
  static String address(Member member) {
    return "%s:%d".formatted(member.getAddress().getHostAddress(), member.getPort());
  }
}
