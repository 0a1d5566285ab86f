package io.headgate.cluster.internal;

import com.tangosol.net.AddressProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The addresses at which a member looks for the others. Names are resolved anew each time the grid
 * goes through the list, so that a DNS name follows the members behind it. A name that can't be
 * resolved is left out, and logged. If there is no other, the list has the address of this member,
 * since the grid would use multicast for an empty one. Thread-safe.
 */
public final class JoinAddresses implements AddressProvider {
  private final Queue<InetSocketAddress> left = new ArrayDeque<>(); // guarded by this
  private boolean started; // guarded by this
  private final Set<String> unknown = new HashSet<>(); // names that were logged; guarded by this

  /** Creates a provider of the addresses of this process's member; the grid does so. */
  public JoinAddresses() {}

  /** Returns the next address; null at the end of the list, after which it starts again. */
  @Override
  @SuppressWarnings("NullAway") // the grid's interfaces are not annotated
  public synchronized @Nullable InetSocketAddress getNextAddress() {
    if (!started) {
      started = true;
      var settings = GridNode.settings();
      for (var address : settings.join()) addAll(address);
      if (left.isEmpty()) left.add(new InetSocketAddress(settings.host(), settings.port()));
    }
    var next = left.poll();
    if (next == null) started = false;
    return next;
  }

  private void addAll(NodeSettings.HostPort address) {
    try {
      for (var each : InetAddress.getAllByName(address.host())) {
        left.add(new InetSocketAddress(each, address.port()));
      }
      unknown.remove(address.host());
    } catch (UnknownHostException e) {
      if (!unknown.add(address.host())) return;
      GridNode.LOG.warning(() ->
          "cannot resolve the member %s of the list to join; this member tries again until it can"
              .formatted(address));
    }
  }

  @Override
  public void accept() {}

  @Override
  public void reject(@Nullable Throwable cause) {}
}
