package io.headgate.benchmarks.sizing;

import io.headgate.RateLimiter;
import io.headgate.benchmarks.Callers;
import io.headgate.benchmarks.HeadgateRemote;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.Arrays;

/** Measures the memory of a key in Redis, and what a decision costs there. */
final class RedisSizes {
  private static final Duration LONG = Duration.ofDays(1);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final int MOST_READS = 10;
  private static final Duration READ_INTERVAL = Duration.ofMillis(250);
  private static final double SETTLED_BYTES = 4_096;
  static final int NAME_LENGTH =
      RedisOptions.DEFAULT_PREFIX.length() + 2 + FilledKeys.KEY_LENGTH + FilledKeys.RULE.length();

  private final RedisServer server;
  private final Callers callers;
  private final int keys;
  private final Duration sliding;

  /**
   * @param sliding the length of the sliding windows whose memory is measured
   */
  RedisSizes(RedisServer server, Callers callers, int keys, Duration sliding) {
    this.server = server;
    this.callers = callers;
    this.keys = keys;
    this.sliding = sliding;
  }

  /** The cost of a decision: CPU of Redis in microseconds, bytes that Redis received and sent. */
  record Cost(double micros, double in, double out) {}

  /** Returns the bytes of a key without its name and without its share of Redis' tables. */
  LinearFit bytes(SizedLimit limit) throws Exception {
    var units = limit.units();
    int first = units.getFirst();
    double bytes = measure(limit, first);
    if (units.size() == 1) return new LinearFit(bytes, 0);
    return LinearFit.through(first, bytes, units.getLast(), measure(limit, units.getLast()));
  }

  /** Returns the bytes of each request or slot where Redis stores a set as a skip list. */
  double largeUnit(SizedLimit limit) throws Exception {
    int each = 1_000;
    return measure(limit, each) / each;
  }

  private double measure(SizedLimit limit, int units) throws Exception {
    int each = limit.growsByRequest() ? units : 1;
    int count = Math.max(Math.min(keys, 200), keys / each);
    boolean slides = limit == SizedLimit.SLIDING_WINDOW;
    try (var limiter = open(limit, slides ? sliding : LONG, units)) {
      server.call("FLUSHALL", "SYNC");
      double before = server.dataBytes();
      // All buckets of a sliding window have counts after a whole window of requests.
      if (slides) FilledKeys.run(callers, limiter, count, sliding.plus(sliding.dividedBy(10)));
      else FilledKeys.fill(callers, limiter, limit.cost(), count, each);
      // Keys of a sliding window of seconds would expire meanwhile.
      double bytes = ((slides ? server.dataBytes() : settledMemory()) - before) / count;
      return bytes - nameBytes(NAME_LENGTH) - tableBytes(count);
    }
  }

  /** Returns medians of the rounds. Windows and slot leases last a second. */
  Cost cost(SizedLimit limit, int rounds, Duration turn) throws Exception {
    server.call("FLUSHALL", "SYNC");
    try (var limiter = open(limit, SECOND, 10)) {
      FilledKeys.run(callers, limiter, keys, turn);
      var costs = new Cost[rounds];
      for (int i = 0; i < rounds; i++) costs[i] = turn(limiter, turn);
      return new Cost(
          Arrays.stream(costs).mapToDouble(Cost::micros).sorted().toArray()[rounds / 2],
          Arrays.stream(costs).mapToDouble(Cost::in).sorted().toArray()[rounds / 2],
          Arrays.stream(costs).mapToDouble(Cost::out).sorted().toArray()[rounds / 2]);
    }
  }

  private Cost turn(RateLimiter limiter, Duration time) throws Exception {
    double cpu = server.cpuSeconds();
    double in = server.info("stats", "total_net_input_bytes");
    double out = server.info("stats", "total_net_output_bytes");
    double n = FilledKeys.run(callers, limiter, keys, time).decisions();
    return new Cost(
        (server.cpuSeconds() - cpu) * 1e6 / n,
        (server.info("stats", "total_net_input_bytes") - in) / n,
        (server.info("stats", "total_net_output_bytes") - out) / n);
  }

  private RateLimiter open(SizedLimit limit, Duration window, int buckets) {
    var options = RedisOptions.builder(server.uri()).deadline(HeadgateRemote.DEADLINE).build();
    var limiter = FilledKeys.limiter(RedisStore.connect(options), limit.limit(window, buckets));
    FilledKeys.awaitStore(limiter);
    return limiter;
  }

  /** Returns the memory when Redis has moved all keys to tables that it resized. */
  private double settledMemory() throws InterruptedException {
    double last = server.dataBytes();
    for (int i = 0; i < MOST_READS; i++) {
      Thread.sleep(READ_INTERVAL);
      double now = server.dataBytes();
      if (Math.abs(now - last) < SETTLED_BYTES) return now;
      last = now;
    }
    return last;
  }

  /** Returns the bytes of a key's name: its header, a terminator, rounded up by the allocator. */
  static long nameBytes(int length) {
    return Math.ceilDiv(length + (length < 32 ? 2 : 4), 16) * 16L;
  }

  /** Returns a key's share of the two tables of keys and expiries, which are powers of two. */
  static double tableBytes(long count) {
    long slots = Long.highestOneBit(Math.max(4, 2 * count - 1));
    return 16.0 * slots / count;
  }
}
