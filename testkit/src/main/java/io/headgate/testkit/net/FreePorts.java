package io.headgate.testkit.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds ports that are free on 127.0.0.1. Another process may take one before it is used, so the
 * caller must be prepared to retry.
 */
public final class FreePorts {
  /** Returns distinct free ports. */
  public static List<Integer> find(int count) {
    var sockets = new ArrayList<ServerSocket>();
    try {
      try {
        for (int i = 0; i < count; i++) sockets.add(new ServerSocket(0, 1, loopback()));
        return sockets.stream().map(ServerSocket::getLocalPort).toList();
      } finally {
        for (var socket : sockets) socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns 127.0.0.1; {@code getLoopbackAddress()} may be ::1. */
  public static InetAddress loopback() {
    try {
      return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private FreePorts() {}
}
