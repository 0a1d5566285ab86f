package io.headgate.cluster.internal;

import io.headgate.cluster.internal.quorum.Voters;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * The members that found a cluster, as far as the settings of this one tell: those of {@code
 * --join}, or any as many as {@code --cluster-size}.
 *
 * <p>A name that can't be resolved counts as one member, and several addresses of a name as
 * several. Then members may differ in what they know, and any majority of the number founds the
 * cluster, instead of members that are known by their address. Immutable.
 */
final class JoinList {
  private final NodeSettings settings;
  private final InetAddress self;

  JoinList(NodeSettings settings, InetAddress self) {
    this.settings = settings;
    this.self = self;
  }

  /** Returns the address by which members know this one. */
  String id() {
    return id(self, settings.port());
  }

  private static String id(InetAddress address, int port) {
    return new NodeSettings.HostPort(address.getHostAddress(), port).toString();
  }

  /** Resolves the names and returns the members. */
  Voters founders() {
    if (settings.size().isPresent()) return Voters.any(settings.size().getAsInt());
    var ids = new TreeSet<String>();
    boolean exact = true;
    for (var each : settings.join()) {
      var addresses = addresses(each.host());
      exact &= addresses.size() == 1;
      for (var address : addresses) ids.add(id(address, each.port()));
      if (addresses.isEmpty()) ids.add(each.toString());
    }
    return exact || ids.size() == 1 ? Voters.listed(ids) : Voters.any(ids.size());
  }

  /** Returns the addresses of a name of the family of this member's, which others would use. */
  private Set<InetAddress> addresses(String host) {
    var found = new LinkedHashSet<InetAddress>();
    try {
      for (var each : InetAddress.getAllByName(host)) {
        if (each.getClass().equals(self.getClass())) found.add(each);
      }
    } catch (UnknownHostException e) {
      // Counted as one member.
    }
    return found;
  }
}
