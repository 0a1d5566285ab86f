package io.headgate.benchmarks;

/** How long to measure. */
enum Effort {
  /** For a first look: about 4 minutes. */
  QUICK(1, 2, 3, 200, 3, 2),

  /** For the record: up to 15 minutes. */
  FULL(2, 3, 5, 300, 5, 5);

  final int forks;
  final int warmups;
  final int iterations;
  final int millis; // of one iteration
  final int httpRounds;
  final int httpSeconds; // of one round and server

  Effort(
      int forks, int warmups, int iterations, int millis, int httpRounds, int httpSeconds) {
    this.forks = forks;
    this.warmups = warmups;
    this.iterations = iterations;
    this.millis = millis;
    this.httpRounds = httpRounds;
    this.httpSeconds = httpSeconds;
  }
}
