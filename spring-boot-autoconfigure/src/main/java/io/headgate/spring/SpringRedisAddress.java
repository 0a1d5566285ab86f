package io.headgate.spring;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/** Converts the connection details of Spring Data Redis to an address of the store. */
final class SpringRedisAddress {
  /**
   * Returns the address, with credentials.
   *
   * @throws StoreStartException if the store does not support the deployment
   */
  static String of(DataRedisConnectionDetails details) {
    String scheme = details.getSslBundle() == null ? "redis" : "rediss";
    String user = credentials(details.getUsername(), details.getPassword());
    var sentinel = details.getSentinel();
    if (sentinel != null) {
      if (details.getUsername() != null) throw unsupported("a user name with Sentinel");
      return "%s-sentinel://%s%s/%d#%s"
          .formatted(
              scheme,
              details.getPassword() == null ? "" : encoded(details.getPassword()) + "@",
              hosts(sentinel.getNodes()),
              sentinel.getDatabase(),
              sentinel.getMaster());
    }
    var cluster = details.getCluster();
    if (cluster != null) {
      return "%s-cluster://%s%s".formatted(scheme, user, hosts(cluster.getNodes()));
    }
    var standalone = details.getStandalone();
    if (standalone == null) throw unsupported("a static primary with replicas");
    var node = new DataRedisConnectionDetails.Node(standalone.getHost(), standalone.getPort());
    return "%s://%s%s/%d".formatted(scheme, user, host(node), standalone.getDatabase());
  }

  private static StoreStartException unsupported(String what) {
    return new StoreStartException(
        "The properties spring.data.redis describe %s, which Headgate does not support."
            .formatted(what),
        "Set headgate.store to an address, or to memory.");
  }

  private static String credentials(@Nullable String user, @Nullable String password) {
    if (password == null || password.isEmpty()) return "";
    return (user == null ? "" : encoded(user)) + ":" + encoded(password) + "@";
  }

  private static String hosts(List<DataRedisConnectionDetails.Node> nodes) {
    return nodes.stream().map(SpringRedisAddress::host).collect(Collectors.joining(","));
  }

  private static String host(DataRedisConnectionDetails.Node node) {
    boolean v6 = node.host().indexOf(':') >= 0 && !node.host().startsWith("[");
    return (v6 ? "[" + node.host() + "]" : node.host()) + ":" + node.port();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private SpringRedisAddress() {}
}
