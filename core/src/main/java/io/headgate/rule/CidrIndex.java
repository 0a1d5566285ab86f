package io.headgate.rule;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Finds the CIDR blocks that contain an address, with one hash lookup per prefix length in use. */
final class CidrIndex {
  private final TreeMap<Integer, Map<IpAddress, IntCollector>> byLength = new TreeMap<>();

  void add(Pattern.Cidr block, IntCollector ordinals) {
    byLength
        .computeIfAbsent(block.bits(), bits -> new HashMap<>())
        .computeIfAbsent(block.address().prefix(block.bits()), address -> new IntCollector())
        .addAll(ordinals);
  }

  boolean isEmpty() {
    return byLength.isEmpty();
  }

  void find(String text, IntCollector found) {
    var address = IpAddress.parse(text);
    if (address == null) return;
    // The same rule as in Cidr.matches, since a match that is found here is not verified again.
    var lengths = address.isV4() ? byLength.tailMap(Pattern.Cidr.V4_PREFIX_BITS) : byLength;
    lengths.forEach((bits, blocks) -> {
      var ordinals = blocks.get(address.prefix(bits));
      if (ordinals != null) found.addAll(ordinals);
    });
  }
}
