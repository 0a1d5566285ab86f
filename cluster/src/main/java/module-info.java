/**
 * The store in the instances themselves: {@link io.headgate.cluster.ClusterStore}.
 *
 * <p>The packages named {@code internal} may change in any release.
 */
module io.headgate.cluster {
  requires static transitive org.jspecify;
  requires transitive io.headgate.core;
  requires com.oracle.coherence;
  requires java.logging;

  exports io.headgate.cluster;

  // The grid creates the classes that its configuration names.
  opens io.headgate.cluster.internal to
      com.oracle.coherence;
}
