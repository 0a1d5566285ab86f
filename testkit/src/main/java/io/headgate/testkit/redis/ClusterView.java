package io.headgate.testkit.redis;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The cluster as one of its nodes sees it: what CLUSTER NODES says. */
record ClusterView(List<Node> nodes) {
  record Node(String id, int port, Set<String> flags, BitSet slots) {
    boolean isPrimary() {
      return flags.contains("master");
    }

    /** Neither suspected nor half known. */
    boolean isSound() {
      return flags.stream()
          .noneMatch(
              flag -> flag.startsWith("fail") || Set.of("handshake", "noaddr").contains(flag));
    }
  }

  static ClusterView of(RedisServer node) {
    return parse(node.call("CLUSTER", "NODES").text());
  }

  static ClusterView parse(String text) {
    return new ClusterView(text.lines().map(ClusterView::node).toList());
  }

  /** id address flags primary ping pong epoch link slots… */
  private static Node node(String line) {
    var words = List.of(line.split(" "));
    var address = words.get(1);
    int port =
        Integer.parseInt(address.substring(address.lastIndexOf(':') + 1, address.indexOf('@')));
    var slots = new BitSet(HashSlot.COUNT);
    for (var range : words.subList(8, words.size())) {
      if (range.startsWith("[")) continue; // on its way from or to another node
      int dash = range.indexOf('-');
      int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
      int last = dash < 0 ? first : Integer.parseInt(range.substring(dash + 1));
      slots.set(first, last + 1);
    }
    return new Node(words.get(0), port, Set.of(words.get(2).split(",")), slots);
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

  /** Everybody is known and well, every slot is owned, and this many are replicas. */
  boolean isComplete(int size, int replicas) {
    var owned = new BitSet();
    for (var node : nodes) owned.or(node.slots());
    return nodes.size() == size
        && nodes.stream().allMatch(Node::isSound)
        && nodes.stream().filter(node -> !node.isPrimary()).count() == replicas
        && owned.cardinality() == HashSlot.COUNT;
  }
}
