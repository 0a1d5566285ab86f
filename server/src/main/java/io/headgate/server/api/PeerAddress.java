package io.headgate.server.api;

import io.headgate.http.ClientAddress;
import io.vertx.core.http.HttpConnection;

/** Determines the address of the peer of a connection. */
public final class PeerAddress {
  /**
   * Returns the peer of a connection. A connection without an address, such as a Unix domain
   * socket, counts as loopback.
   */
  public static ClientAddress of(HttpConnection connection) {
    var peer = connection.remoteAddress();
    return ClientAddress.ofPeer(peer == null ? null : peer.hostAddress());
  }

  private PeerAddress() {}
}
