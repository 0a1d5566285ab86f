package io.headgate.cluster.internal;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The settings of a member.
 *
 * @param name the name of the cluster; members of another name are not joined
 * @param host the address to bind to
 * @param port the port to listen on
 * @param dataPort the port for all that members send each other; 0 lets the system choose one
 * @param join the addresses of members, with ports; names may have several addresses
 * @param keys with which members authenticate each other; empty for connections in clear
 * @param backups the number of members that have a copy of each counter
 * @param maxBytes the memory for the counters that this member owns
 * @param patience how long this member waits for others that accept connections
 * @param size the number of members that found the cluster; empty if those to join are all
 * @param memory the file in which this member remembers the others; empty if it does not
 * @param wireVersion the version of the messages between members
 */
public record NodeSettings(
    String name,
    String host,
    int port,
    int dataPort,
    List<HostPort> join,
    Optional<Keys> keys,
    int backups,
    long maxBytes,
    Duration patience,
    OptionalInt size,
    Optional<Path> memory,
    int wireVersion) {
  /** The version of the messages that this version of the store sends and reads. */
  public static final int WIRE_VERSION = BatchProcessor.VERSION;

  /** What members authenticate each other with. */
  public sealed interface Keys {}

  /** A secret that all members share. */
  public record SharedSecret(String secret) implements Keys {
    /** Leaves out the secret. */
    @Override
    public String toString() {
      return "SharedSecret";
    }
  }

  /** Files in PEM: a certificate, its key, and the authorities of all members. */
  public record CertificateFiles(Path certificate, Path key, Path authority) implements Keys {}

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
