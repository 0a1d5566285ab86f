package io.headgate.redis;

import io.lettuce.core.RedisURI;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Where Redis is, in one of its topologies. Never shows a password. */
public final class RedisAddress {
  /** How the servers stand to each other. */
  public enum Topology {
    STANDALONE,
    SENTINEL,
    CLUSTER
  }

  private static final String FORMS =
      "redis://[user:password@]host:port[/database], rediss://… (TLS),"
          + " redis-sentinel://[password@]host:port,host:port[/database]#name,"
          + " redis-cluster://[user:password@]host:port,host:port or rediss-cluster://… (TLS)";

  private final Topology topology;
  private final List<RedisURI> uris;

  private RedisAddress(Topology topology, List<RedisURI> uris) {
    this.topology = topology;
    this.uris = uris;
  }

  /**
   * Reads one of {@code redis://}, {@code rediss://}, {@code redis-sentinel://h1,h2/0#name}, {@code
   * redis-cluster://h1:p,h2:p} and {@code rediss-cluster://}.
   */
  public static RedisAddress parse(String uri) {
    try {
      refuseCutPassword(uri);
      if (uri.startsWith("redis-cluster://")) return cluster("redis://", uri);
      if (uri.startsWith("rediss-cluster://")) return cluster("rediss://", uri);
      if (uri.startsWith("redis-sentinel://") || uri.startsWith("rediss-sentinel://")) {
        if (uri.indexOf('#') < 0) {
          throw bad("the name of the primary is missing after '#'");
        }
        return new RedisAddress(Topology.SENTINEL, List.of(RedisURI.create(uri)));
      }
      if (uri.startsWith("redis://") || uri.startsWith("rediss://")) {
        requireHost(hostOf(uri));
        return new RedisAddress(Topology.STANDALONE, List.of(RedisURI.create(uri)));
      }
    } catch (RuntimeException e) {
      if (e instanceof Malformed malformed) throw malformed;
      throw bad("it can't be read"); // what Lettuce says may hold the password
    }
    throw bad("it begins with none of these");
  }

  /** A password with one of these ends the host there, and would be shown as a part of it. */
  private static void refuseCutPassword(String uri) {
    String rest = uri.substring(uri.indexOf("://") < 0 ? 0 : uri.indexOf("://") + 3);
    int end = 0;
    while (end < rest.length() && "/?#".indexOf(rest.charAt(end)) < 0) end++;
    if (rest.indexOf('@', end) >= 0) {
      throw bad(
          "there is an @ after the host; in a password write %40 for @, %2F for /, %3F for ? and"
              + " %23 for #");
    }
  }

  private static RedisAddress cluster(String scheme, String uri) {
    var rest = uri.substring(uri.indexOf("://") + 3);
    int at = rest.lastIndexOf('@');
    var credentials = rest.substring(0, at + 1);
    var uris = new ArrayList<RedisURI>();
    for (var host : rest.substring(at + 1).split(",", -1)) {
      if (host.contains("/")) throw bad("a cluster has no databases, so nothing follows its hosts");
      requireHost(host);
      uris.add(RedisURI.create(scheme + credentials + host));
    }
    return new RedisAddress(Topology.CLUSTER, List.copyOf(uris));
  }

  /** The host and port of a URI without its credentials, path and query. */
  private static String hostOf(String uri) {
    var rest = uri.substring(uri.indexOf("://") + 3);
    var authority = rest.split("[/?#]", 2)[0];
    return authority.substring(authority.lastIndexOf('@') + 1);
  }

  /**
   * Lettuce ignores a port that is no number. The message shows no part of it, which may be a
   * password.
   */
  private static void requireHost(String host) {
    if (!host.matches("[^:]+(:\\d{1,5})?|\\[[0-9a-fA-F:]+\\](:\\d{1,5})?")) {
      throw bad("after '@', a host is missing or a port is no number");
    }
  }

  private static final class Malformed extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    Malformed(String message) {
      super(message);
    }
  }

  private static Malformed bad(String why) {
    return new Malformed("not an address of Redis: %s; it may be %s".formatted(why, FORMS));
  }

  public Topology topology() {
    return topology;
  }

  public List<RedisURI> uris() {
    return uris;
  }

  /** Hosts and ports alone. */
  @Override
  public String toString() {
    var uri = uris.getFirst();
    return switch (topology) {
      case STANDALONE -> place(uri);
      case SENTINEL ->
          "%s (by Sentinel at %s)"
              .formatted(
                  uri.getSentinelMasterId(),
                  uri.getSentinels().stream()
                      .map(RedisAddress::place)
                      .collect(Collectors.joining(", ")));
      case CLUSTER ->
          "the cluster of "
              + uris.stream().map(RedisAddress::place).collect(Collectors.joining(", "));
    };
  }

  private static String place(RedisURI uri) {
    return uri.getHost() + ":" + uri.getPort();
  }
}
