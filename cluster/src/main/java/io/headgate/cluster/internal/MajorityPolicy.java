package io.headgate.cluster.internal;

import com.tangosol.net.Action;
import com.tangosol.net.ActionPolicy;
import com.tangosol.net.CacheService.CacheAction;
import com.tangosol.net.Cluster.MemberTimeoutAction;
import com.tangosol.net.Service;
import java.time.Instant;
import java.util.HashSet;

/**
 * Lets a majority of the members decide, and no minority: counters are read and changed, and
 * members that do not respond are expelled, only while the present members are a majority of the
 * voters, as {@link io.headgate.cluster.internal.quorum.Agreement} says. Thread-safe.
 */
public final class MajorityPolicy implements ActionPolicy {
  private volatile String lastText = "";

  /** Creates the policy of this process's member; the grid does so. */
  public MajorityPolicy() {}

  @Override
  public void init(Service service) {}

  @Override
  public boolean isAllowed(Service service, Action action) {
    if (action instanceof MemberTimeoutAction timeout) return mayExpel(timeout);
    if (CacheAction.READ.equals(action) || CacheAction.WRITE.equals(action)) {
      return GridNode.decides();
    }
    return true;
  }

  private boolean mayExpel(MemberTimeoutAction timeout) {
    var ids = new HashSet<Integer>();
    for (var member : timeout.getResponsiveMemberSet()) ids.add(member.getId());
    boolean allowed = GridNode.mayExpel(ids);
    var text =
        "members %s do not respond, %s do: %s"
            .formatted(
                timeout.getTimedOutMemberSet(),
                timeout.getResponsiveMemberSet(),
                allowed ? "expelled" : "waiting, since this is no majority");
    // The grid asks several times a second until the members respond.
    if (!text.equals(lastText)) GridNode.LOG.info(text);
    lastText = text;
    if (!allowed) GridNode.absent().onlyRespond(ids, Instant.now());
    return allowed;
  }

  @Override
  public String toString() {
    return "a majority of the members";
  }
}
