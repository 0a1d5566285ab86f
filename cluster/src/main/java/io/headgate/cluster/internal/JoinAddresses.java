package io.headgate.cluster.internal;

import com.tangosol.net.AddressProvider;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The addresses at which a member looks for the others. Names are resolved anew each time the grid
 * goes through the list, so that a DNS name follows the members behind it. A name that can't be
 * resolved is left out. Thread-safe.
 */
public final class JoinAddresses implements AddressProvider {
  private final Queue<InetSocketAddress> left = new ArrayDeque<>(); // guarded by this
  private boolean started; // guarded by this

  /** Creates a provider of the addresses of this process's member; the grid does so. */
  public JoinAddresses() {}

  /** Returns the next address; null at the end of the list, after which it starts again. */
  @Override
  @SuppressWarnings("NullAway") // the grid's interfaces are not annotated
  public synchronized @Nullable InetSocketAddress getNextAddress() {
    if (!started) {
      started = true;
      for (var address : GridNode.settings().join()) addAll(address);
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
    } catch (UnknownHostException e) {
      GridNode.LOG.fine(() -> "cannot resolve the member " + address);
    }
  }

  @Override
  public void accept() {}

  @Override
  public void reject(@Nullable Throwable cause) {}
}
