package io.headgate.server.store;

import io.headgate.cluster.ClusterOptions;
import io.headgate.cluster.ClusterStore;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens a cluster store whose outages are logged. */
public final class ClusterStoreFactory {
  /**
   * Joins the cluster. The listener of the options is notified of outages as well.
   *
   * @throws IllegalArgumentException if the options are not valid together
   * @throws IllegalStateException if the cluster can't be joined
   */
  public static ClusterStore open(ClusterOptions options) {
    SerialFilter.install();
    MemberLog.install();
    var log = new OutageLog("The cluster");
    var store =
        ClusterStore.join(
            options.toBuilder()
                .outageListener(new CompositeListener(log, options.outageListener()))
                .build());
    log.reached();
    warnOfFewMembers(store);
    return store;
  }

  /** Of two members, the second can't go on without the first; see docs/cluster.md. */
  private static void warnOfFewMembers(ClusterStore store) {
    int named = store.options().size().orElse(store.options().join().size());
    if (named > 2 || store.instances() > 2) return;
    Logger log = LoggerFactory.getLogger(ClusterStoreFactory.class);
    log.warn(
        "the cluster has {} of at most 2 members named by --join: of two members, only the one with"
            + " the lower address goes on without the other; use three or more",
        store.instances());
  }

  /** Returns the kind of the store, this member and those to join, without secrets. */
  public static String describe(ClusterOptions options) {
    return "cluster, member %s:%d%s, joins %s"
        .formatted(
            options.host(),
            options.port(),
            options.isEncrypted() ? " (TLS)" : "",
            options.join().stream().map(Object::toString).collect(Collectors.joining(",")));
  }

  private ClusterStoreFactory() {}
}
