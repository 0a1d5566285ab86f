package io.headgate.benchmarks;

import java.time.Duration;

/** Tells on stderr what is being measured; stdout is for the report. */
final class Progress {
  private final long start = System.nanoTime();

  void say(String message) {
    long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
    System.err.printf("[%2d:%02d] %s%n", seconds / 60, seconds % 60, message);
  }
}
