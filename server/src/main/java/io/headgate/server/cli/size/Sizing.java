package io.headgate.server.cli.size;

import java.util.List;

/**
 * The result: keys, memory, CPU and network.
 *
 * @param request the question
 * @param counters the limits with their keys, largest first
 * @param keys the keys of all limits
 * @param stateBytes the bytes of all keys, with tables and without headroom
 * @param heapBytes the heap of each instance, with headroom
 * @param maxKeys {@code --max-keys} of a memory store, with headroom; 0 for other stores
 * @param redis the needs of Redis; all zero for other stores
 * @param cores the cores that the checks of one instance keep busy over HTTP
 * @param notes remarks on the result
 */
public record Sizing(
    SizingRequest request,
    List<CounterSize> counters,
    double keys,
    double stateBytes,
    double heapBytes,
    long maxKeys,
    RedisNeeds redis,
    double cores,
    List<String> notes) {
  /** Copies the lists. */
  public Sizing {
    counters = List.copyOf(counters);
    notes = List.copyOf(notes);
  }

  /**
   * The needs of Redis.
   *
   * @param maxMemory bytes of all primaries together, with headroom
   * @param micros CPU of one check, in microseconds
   * @param cores the cores that the checks keep busy
   * @param primaries the number of primaries, each with one busy core
   * @param networkBytes bytes per second, in both directions
   * @param connections the connections of all instances to a single server; 0 for several
   */
  public record RedisNeeds(
      double maxMemory,
      double micros,
      double cores,
      int primaries,
      double networkBytes,
      int connections) {
    static final RedisNeeds NONE = new RedisNeeds(0, 0, 0, 0, 0, 0);
  }
}
