package io.headgate.redis;

import java.util.List;

/** The threads of the store and of Lettuce, without the sweeper that all memory stores share. */
final class Threads {
  private Threads() {}

  static List<String> ours() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("headgate") || name.startsWith("lettuce"))
        .filter(name -> !name.equals("headgate-sweeper"))
        .sorted()
        .toList();
  }
}
