package io.headgate.cluster.internal;

import com.tangosol.net.Action;
import com.tangosol.net.ActionPolicy;
import com.tangosol.net.CacheService.CacheAction;
import com.tangosol.net.Cluster.MemberTimeoutAction;
import com.tangosol.net.Service;

/**
 * Lets a majority of the members decide, and no minority: counters are read and changed, and
 * members that do not respond are expelled, only while the present members are a majority of the
 * {@link ClusterSize}. Thread-safe.
 */
public final class MajorityPolicy implements ActionPolicy {
  /** Creates the policy of this process's member; the grid does so. */
  public MajorityPolicy() {}

  @Override
  public void init(Service service) {}

  @Override
  public boolean isAllowed(Service service, Action action) {
    if (action instanceof MemberTimeoutAction timeout) {
      int responsive = timeout.getResponsiveMemberSet().size();
      boolean allowed = GridNode.size().isMajority(responsive);
      GridNode.LOG.info(() ->
          "members %s do not respond, %s do, of %d: %s"
              .formatted(
                  timeout.getTimedOutMemberSet(),
                  timeout.getResponsiveMemberSet(),
                  GridNode.size().size(),
                  allowed ? "expelled" : "waiting, since this is no majority"));
      return allowed;
    }
    if (CacheAction.READ.equals(action) || CacheAction.WRITE.equals(action)) {
      return GridNode.size().isMajority();
    }
    return true;
  }

  @Override
  public String toString() {
    return "a majority of the members";
  }
}
