package io.headgate.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;

/** Converts between the monotonic clock of this machine and the clock of Redis. */
final class RedisClock implements AutoCloseable {
  private static final int PROBES = 64;

  /**
   * The difference between Redis' time and {@code nanoTime}, in microseconds.
   *
   * @param uncertainty half of the fastest round trip
   */
  record Offset(long micros, int uncertainty) {
    long redis(long nanos) {
      return Math.floorDiv(nanos, 1_000) + micros;
    }

    long nanos(long redis) {
      return (redis - micros) * 1_000;
    }

    /** Returns the uncertainty between two measurements, including the drift between them. */
    int uncertainty(Offset later) {
      return Math.max(uncertainty, later.uncertainty) + (int) Math.abs(micros - later.micros);
    }
  }

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;

  RedisClock(String uri) {
    client = RedisClient.create(uri);
    connection = client.connect();
  }

  Offset measure() {
    long fastest = Long.MAX_VALUE;
    long offset = 0;
    for (int i = 0; i < PROBES; i++) {
      long before = System.nanoTime();
      var time = connection.sync().time();
      long after = System.nanoTime();
      if (after - before >= fastest) continue;
      fastest = after - before;
      long redis = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
      offset = redis - Math.floorDiv(before + fastest / 2, 1_000);
    }
    return new Offset(offset, (int) (fastest / 2_000) + 1);
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown();
  }
}
