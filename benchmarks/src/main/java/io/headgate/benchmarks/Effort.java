package io.headgate.benchmarks;

/** The durations and repetitions of measurements. */
public enum Effort {
  /** Short measurements: about 5 minutes. */
  QUICK(1, 2, 400, 3, 200, 6, 3, 2, 1_600, 3, 300),

  /** Measurements for publication: up to 18 minutes. */
  FULL(2, 3, 400, 5, 300, 12, 5, 5, 3_200, 5, 600);

  final int forks;
  final int warmUps;
  final int warmUpMillis;
  final int iterations;
  final int millis;
  final int httpWarmUpSeconds;
  final int httpRounds;
  final int httpSeconds;
  final int redisWarmUpMillis;
  final int redisRounds;
  final int redisMillis;

  Effort(
      int forks,
      int warmUps,
      int warmUpMillis,
      int iterations,
      int millis,
      int httpWarmUpSeconds,
      int httpRounds,
      int httpSeconds,
      int redisWarmUpMillis,
      int redisRounds,
      int redisMillis) {
    this.forks = forks;
    this.warmUps = warmUps;
    this.warmUpMillis = warmUpMillis;
    this.iterations = iterations;
    this.millis = millis;
    this.httpWarmUpSeconds = httpWarmUpSeconds;
    this.httpRounds = httpRounds;
    this.httpSeconds = httpSeconds;
    this.redisWarmUpMillis = redisWarmUpMillis;
    this.redisRounds = redisRounds;
    this.redisMillis = redisMillis;
  }
}
