package io.headgate.redis;

import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The address of a Redis deployment. Its text form contains no password. */
public final class RedisAddress {
  /** The kind of deployment. */
  public enum Topology {
    /** One server, possibly with replicas that are not used. */
    STANDALONE,
    /** Servers whose primary is found through Redis Sentinel. */
    SENTINEL,
    /** A Redis Cluster. */
    CLUSTER
  }

  private static final String FORMS =
      "redis://[user:password@]host:port[/database], rediss://… (TLS),"
          + " redis-sentinel://[password@]host:port,host:port[/database]#name,"
          + " redis-cluster://[user:password@]host:port,host:port, or rediss-sentinel://… and"
          + " rediss-cluster://… (TLS)";

  private static final int MAX_PORT = 65_535;
  private static final Pattern HOST_AND_PORT =
      Pattern.compile("(?:[^:]+|\\[[0-9a-fA-F:]+\\])(?::(?<port>\\d+))?");

  private final Topology topology;
  private final List<String> uris;

  private RedisAddress(Topology topology, List<String> uris) {
    for (var uri : uris) RedisURI.create(uri); // validates
    this.topology = topology;
    this.uris = List.copyOf(uris);
  }

  /**
   * Parses an address of the form {@code redis://}, {@code rediss://}, {@code
   * redis-sentinel://h1,h2/0#name}, {@code rediss-sentinel://}, {@code redis-cluster://h1:p,h2:p}
   * or {@code rediss-cluster://}.
   *
   * @throws IllegalArgumentException if the address is malformed; the message names the accepted
   *     forms and contains no part of the address
   */
  public static RedisAddress parse(String uri) {
    try {
      requireEscapedPassword(uri);
      if (uri.startsWith("redis-cluster://")) return cluster("redis://", uri);
      if (uri.startsWith("rediss-cluster://")) return cluster("rediss://", uri);
      if (uri.startsWith("redis-sentinel://") || uri.startsWith("rediss-sentinel://")) {
        if (uri.indexOf('#') < 0) {
          throw malformed("the name of the primary is missing after '#'");
        }
        for (var host : hostOf(uri).split(",", -1)) requireHost(host);
        return new RedisAddress(Topology.SENTINEL, List.of(uri));
      }
      if (uri.startsWith("redis://") || uri.startsWith("rediss://")) {
        requireHost(hostOf(uri));
        return new RedisAddress(Topology.STANDALONE, List.of(uri));
      }
    } catch (RuntimeException e) {
      if (e instanceof Malformed rejected) throw rejected;
      throw malformed("it is not a valid URI"); // Lettuce's message may contain the password
    }
    throw malformed("unknown scheme");
  }

  /**
   * Rejects a password with an unescaped {@code /}, {@code ?} or {@code #}. The host would end
   * there, so that the start of the password would be taken for a port and be part of the text
   * form.
   */
  private static void requireEscapedPassword(String uri) {
    String rest = uri.substring(uri.indexOf("://") < 0 ? 0 : uri.indexOf("://") + 3);
    int end = 0;
    while (end < rest.length() && "/?#".indexOf(rest.charAt(end)) < 0) end++;
    if (rest.indexOf('@', end) >= 0) {
      throw malformed(
          "there is an @ after the host; in a password write %40 for @, %2F for /, %3F for ? and"
              + " %23 for #");
    }
  }

  private static RedisAddress cluster(String scheme, String uri) {
    var rest = uri.substring(uri.indexOf("://") + 3);
    int at = rest.lastIndexOf('@');
    var credentials = rest.substring(0, at + 1);
    var uris = new ArrayList<String>();
    for (var host : rest.substring(at + 1).split(",", -1)) {
      if (host.contains("/"))
        throw malformed("a cluster has no databases, so no path may follow its hosts");
      requireHost(host);
      uris.add(scheme + credentials + host);
    }
    return new RedisAddress(Topology.CLUSTER, uris);
  }

  /** Returns the host and port of a URI without its credentials, path and query. */
  private static String hostOf(String uri) {
    var rest = uri.substring(uri.indexOf("://") + 3);
    var authority = rest.split("[/?#]", 2)[0];
    return authority.substring(authority.lastIndexOf('@') + 1);
  }

  /**
   * Requires a host and, if there is one, a port from 1 to 65535. Lettuce ignores a port that is
   * not a number and uses any other, with which no connection succeeds. The message contains no
   * part of the value, since that may be a password.
   */
  private static void requireHost(String host) {
    var parts = HOST_AND_PORT.matcher(host);
    if (!parts.matches()) throw malformed("the host is missing or the port is not a number");
    String port = parts.group("port");
    if (port == null) return;
    boolean valid = port.length() <= 5 && Integer.parseInt(port) >= 1;
    if (!valid || Integer.parseInt(port) > MAX_PORT) throw malformed("a port must be 1 to 65535");
  }

  private static final class Malformed extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    Malformed(String message) {
      super(message);
    }
  }

  private static Malformed malformed(String reason) {
    return new Malformed("invalid Redis address: %s; expected %s".formatted(reason, FORMS));
  }

  /** Returns how the servers are deployed. */
  public Topology topology() {
    return topology;
  }

  /**
   * Returns one URI for each given node of a cluster, otherwise a single URI, which may name
   * several Sentinels. They contain the credentials: not for logs.
   */
  public List<String> uris() {
    return uris;
  }

  /** Returns the hosts and ports, without credentials. */
  @Override
  public String toString() {
    var uri = RedisURI.create(uris.getFirst());
    return switch (topology) {
      case STANDALONE -> hostAndPort(uri);
      case SENTINEL ->
          "%s (by Sentinel at %s)"
              .formatted(
                  uri.getSentinelMasterId(),
                  uri.getSentinels().stream()
                      .map(RedisAddress::hostAndPort)
                      .collect(Collectors.joining(", ")));
      case CLUSTER ->
          "the cluster of "
              + uris.stream()
                  .map(RedisURI::create)
                  .map(RedisAddress::hostAndPort)
                  .collect(Collectors.joining(", "));
    };
  }

  private static String hostAndPort(RedisURI uri) {
    return uri.getHost() + ":" + uri.getPort();
  }
}
