package io.headgate.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;

/** Redis' clock, told by this machine's steady one. */
final class RedisClock implements AutoCloseable {
  private static final int PROBES = 64;

  /**
   * What to add to {@code nanoTime}, in microseconds, to have Redis' time.
   *
   * @param uncertainty half of the quickest round trip
   */
  record Offset(long micros, int uncertainty) {
    long redis(long nanos) {
      return Math.floorDiv(nanos, 1_000) + micros;
    }

    long nanos(long redis) {
      return (redis - micros) * 1_000;
    }

    /** Of both together, with what one has moved against the other. */
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
    long quickest = Long.MAX_VALUE;
    long offset = 0;
    for (int i = 0; i < PROBES; i++) {
      long before = System.nanoTime();
      var time = connection.sync().time();
      long after = System.nanoTime();
      if (after - before >= quickest) continue;
      quickest = after - before;
      long redis = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
      offset = redis - Math.floorDiv(before + quickest / 2, 1_000);
    }
    return new Offset(offset, (int) (quickest / 2_000) + 1);
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown();
  }
}
