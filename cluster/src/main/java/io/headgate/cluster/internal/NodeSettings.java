package io.headgate.cluster.internal;

import java.util.List;
import java.util.Optional;

/**
 * The settings of a member.
 *
 * @param name the name of the cluster; members of another name are not joined
 * @param host the address to bind to
 * @param port the port to listen on
 * @param join the addresses of members, with ports; names may have several addresses
 * @param secret with which members authenticate each other; empty for connections in clear
 * @param backups the number of members that have a copy of each counter
 * @param maxBytes the memory for the counters that this member owns
 */
public record NodeSettings(
    String name,
    String host,
    int port,
    List<HostPort> join,
    Optional<String> secret,
    int backups,
    long maxBytes) {

  /** An address of a member, whose host may be a DNS name. */
  public record HostPort(String host, int port) {
    @Override
    public String toString() {
      return host.contains(":") ? "[%s]:%d".formatted(host, port) : host + ":" + port;
    }
  }

  /** Copies the list. */
  public NodeSettings {
    join = List.copyOf(join);
  }

  /** Leaves out the secret. */
  @Override
  public String toString() {
    return "NodeSettings[%s at %s:%d]".formatted(name, host, port);
  }
}
