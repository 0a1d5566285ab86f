package io.headgate.testkit.redis;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The state of the cluster as one node reports it with CLUSTER NODES. */
record ClusterView(List<Node> nodes) {
  /** One node of the cluster. */
  record Node(String id, int port, Set<String> flags, BitSet slots) {
    boolean isPrimary() {
      return flags.contains("master");
    }

    /** Returns whether the node is neither suspected nor still joining. */
    boolean isHealthy() {
      return flags.stream()
          .noneMatch(
              flag -> flag.startsWith("fail") || Set.of("handshake", "noaddr").contains(flag));
    }
  }

  /** Queries a node. */
  static ClusterView of(RedisServer node) {
    return parse(node.call("CLUSTER", "NODES").text());
  }

  /** Parses the reply of CLUSTER NODES. */
  static ClusterView parse(String text) {
    return new ClusterView(text.lines().map(ClusterView::node).toList());
  }

  /** Parses a line: id address flags primary ping pong epoch link slots… */
  private static Node node(String line) {
    var fields = List.of(line.split(" "));
    var address = fields.get(1);
    int port =
        Integer.parseInt(address.substring(address.lastIndexOf(':') + 1, address.indexOf('@')));
    var slots = new BitSet(HashSlot.COUNT);
    for (var range : fields.subList(8, fields.size())) {
      if (range.startsWith("[")) continue; // being migrated
      int dash = range.indexOf('-');
      int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
      int last = dash < 0 ? first : Integer.parseInt(range.substring(dash + 1));
      slots.set(first, last + 1);
    }
    return new Node(fields.get(0), port, Set.of(fields.get(2).split(",")), slots);
  }

  Optional<Node> ownerOf(int slot) {
    return nodes.stream().filter(node -> node.slots().get(slot)).findFirst();
  }

  Node on(int port) {
    return nodes.stream()
        .filter(node -> node.port() == port)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no node on port " + port + " in " + this));
  }

  /**
   * Returns whether all nodes are known and healthy, every slot has an owner, and there are this
   * many replicas.
   */
  boolean isComplete(int size, int replicas) {
    var owned = new BitSet();
    for (var node : nodes) owned.or(node.slots());
    return nodes.size() == size
        && nodes.stream().allMatch(Node::isHealthy)
        && nodes.stream().filter(node -> !node.isPrimary()).count() == replicas
        && owned.cardinality() == HashSlot.COUNT;
  }
}
