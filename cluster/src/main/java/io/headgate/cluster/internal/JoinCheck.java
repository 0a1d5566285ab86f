package io.headgate.cluster.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/**
 * Refuses to found a cluster beside one that can be reached. A member that the others do not
 * accept, since it has another secret, hears no refusal: it would be alone in a cluster of its own,
 * and admit each limit once more.
 */
final class JoinCheck {
  private static final int CONNECT_MILLIS = 500;
  private static final Duration PAUSE = Duration.ofMillis(200);

  private JoinCheck() {}

  /**
   * Waits until this member is not alone, or no other accepts connections. Another that starts at
   * the same time accepts them before it has joined.
   *
   * @param present returns the number of members that are present
   * @throws IllegalStateException if this member is still alone after the patience of the settings
   */
  static void awaitOthers(NodeSettings settings, IntSupplier present) {
    long until = System.nanoTime() + settings.patience().toNanos();
    while (present.getAsInt() == 1) {
      var other = firstThatAccepts(settings);
      if (other.isEmpty()) return;
      if (System.nanoTime() - until > 0) {
        throw new IllegalStateException(
            "the member at %s accepts connections, but this one could not join it: all members need"
                    .formatted(other.get())
                + " the same cluster secret or certificates of the same authority, the same cluster"
                + " name and the same version, and must reach each other's ports");
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private static Optional<NodeSettings.HostPort> firstThatAccepts(NodeSettings settings) {
    for (var address : settings.join()) {
      for (var each : others(address, settings.port())) {
        if (accepts(each)) {
          return Optional.of(
              new NodeSettings.HostPort(each.getAddress().getHostAddress(), each.getPort()));
        }
      }
    }
    return Optional.empty();
  }

  /** Returns the addresses of a name without those of this member. */
  private static List<InetSocketAddress> others(NodeSettings.HostPort address, int ownPort) {
    var all = new ArrayList<InetSocketAddress>();
    try {
      for (var each : InetAddress.getAllByName(address.host())) {
        boolean self = address.port() == ownPort && isLocal(each);
        if (!self) all.add(new InetSocketAddress(each, address.port()));
      }
    } catch (UnknownHostException e) {
      // A name may have no address before the first member is ready.
    }
    return all;
  }

  private static boolean isLocal(InetAddress address) {
    try {
      return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      return false;
    }
  }

  private static boolean accepts(InetSocketAddress address) {
    try (var socket = new Socket()) {
      socket.connect(address, CONNECT_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
