package io.headgate.cluster.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Passes settings to the grid, which reads its configuration from system properties. */
final class GridProperties {
  static final String CACHES = "io/headgate/cluster/grid-cache.xml";

  private static final String OPERATION = "/io/headgate/cluster/grid-operational.xml";

  private GridProperties() {}

  private static Map<String, String> of(NodeSettings settings) {
    var properties = new LinkedHashMap<String, String>();
    var operation = Objects.requireNonNull(GridProperties.class.getResource(OPERATION));
    properties.put("coherence.override", operation.toString());
    properties.put("coherence.mode", "prod");
    properties.put("coherence.lambdas", "static");
    properties.put("coherence.management", "none");
    properties.put("coherence.management.http", "none");
    properties.put("coherence.metrics.http.enabled", "false");
    properties.put("coherence.ttl", "0");
    properties.put("headgate.cluster.name", settings.name());
    properties.put("headgate.cluster.host", settings.host());
    properties.put("headgate.cluster.port", Integer.toString(settings.port()));
    properties.put("headgate.cluster.dataport", Integer.toString(settings.dataPort()));
    properties.put("headgate.cluster.role", role(settings.wireVersion()));
    properties.put("headgate.cluster.backups", Integer.toString(settings.backups()));
    properties.put("headgate.cluster.bytes", Long.toString(settings.maxBytes()));
    return properties;
  }

  /** Returns the role by which members see the wire version of each other. */
  static String role(int wireVersion) {
    return "headgate-wire-" + wireVersion;
  }

  /**
   * Sets the properties.
   *
   * @throws IllegalArgumentException if a file of a certificate can't be used
   */
  static void set(NodeSettings settings) {
    of(settings).forEach(System::setProperty);
    settings
        .keys()
        .ifPresent(with -> {
          var keys =
              switch (with) {
                case NodeSettings.SharedSecret shared ->
                    SecretKeys.write(settings.name(), shared.secret());
                case NodeSettings.CertificateFiles files ->
                    CertificateKeys.write(files.certificate(), files.key(), files.authority());
              };
          System.setProperty("headgate.cluster.sockets", "headgate-tls");
          System.setProperty("headgate.cluster.keystore", keys.identity().toUri().toString());
          System.setProperty("headgate.cluster.truststore", keys.trust().toUri().toString());
          System.setProperty("headgate.cluster.keystore.password", keys.password());
        });
  }

  /** Removes the properties of a member that has left, and the password among them. */
  static void clear() {
    System.getProperties().stringPropertyNames().stream()
        .filter(name -> name.startsWith("headgate.cluster."))
        .forEach(System::clearProperty);
  }
}
