package io.headgate.redis;

import java.util.List;
import java.util.Set;

/**
 * The threads of the store and of Lettuce, without the sweepers that all memory stores and all
 * limiters share.
 */
final class Threads {
  private static final Set<String> SHARED = Set.of("headgate-sweeper", "headgate-reservations");

  private Threads() {}

  static List<String> ours() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("headgate") || name.startsWith("lettuce"))
        .filter(name -> !SHARED.contains(name))
        .sorted()
        .toList();
  }
}
