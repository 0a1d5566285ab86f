package io.headgate.benchmarks;

import java.time.Duration;

/** Prints progress to standard error; standard output is for the report. */
public final class ProgressLog {
  private final long start = System.nanoTime();

  /** Starts the clock. */
  public ProgressLog() {}

  /** Prints a line with the time since the start. */
  public void log(String message) {
    long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
    System.err.printf("[%2d:%02d] %s%n", seconds / 60, seconds % 60, message);
  }
}
