package io.headgate.server;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Shares the time of a warm-up evenly between the protocols, which have turns. The next turn is of
 * the protocol that has used less time, so that a turn that took too long is compensated. Not
 * thread-safe.
 */
final class WarmUpTurns {
  /** The protocols to warm up. */
  enum Protocol {
    HTTP,
    GRPC
  }

  private final Map<Protocol, Long> usedNanos = new EnumMap<>(Protocol.class);

  WarmUpTurns() {
    for (var protocol : Protocol.values()) usedNanos.put(protocol, 0L);
  }

  /**
   * Returns the protocol of the next turn.
   *
   * @param unfinished the protocols that have calls left
   * @return empty if there are none
   */
  Optional<Protocol> next(Set<Protocol> unfinished) {
    return usedNanos.entrySet().stream()
        .filter(used -> unfinished.contains(used.getKey()))
        .min(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey);
  }

  /** Adds the time of a turn. */
  void record(Protocol protocol, long nanos) {
    usedNanos.merge(protocol, nanos, Long::sum);
  }
}
