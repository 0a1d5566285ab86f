package io.headgate.rule;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Which of many blocks of addresses does an address lie in? One look-up per length in use. */
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
    // As Cidr.matches has it: nobody tries again what is found here.
    var lengths = address.isV4() ? byLength.tailMap(Pattern.Cidr.ALL_OF_V4) : byLength;
    lengths.forEach((bits, blocks) -> {
      var ordinals = blocks.get(address.prefix(bits));
      if (ordinals != null) found.addAll(ordinals);
    });
  }
}
