package io.headgate.server.cli.size;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Algorithm;
import io.headgate.limit.Bucket;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FairBucket;
import io.headgate.limit.FairShare;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.Stateless;
import io.headgate.limit.TokenBucket;
import java.util.OptionalLong;

/**
 * Computes the bytes of a key from the measured figures: a constant for the algorithm, a part for
 * each request, slot or bucket, and the text of the key.
 */
final class StateModel {
  /** The permits of a rate in lowest terms up to which the memory store needs one word. */
  private static final long WORD_PERMITS = 1_024;

  /** The members up to which Redis stores a sorted set in compact form; one is the signature. */
  private static final long COMPACT_UNITS = 127;

  /** The requests up to which a rolling window is packed in a string in Redis. */
  private static final long PACKED_UNITS = 256;

  /** The requests up to which a packed rolling window has room for one more at most. */
  private static final long FEW_UNITS = 16;

  /** Computed: the numbers of a tenant in its table and tree. */
  private static final double TENANT_BYTES = 100;

  private final MeasuredFigures figures;

  StateModel(MeasuredFigures figures) {
    this.figures = figures;
  }

  /** Returns whether a limit has a state for each key. */
  static boolean hasState(Limit limit) {
    return !(limit instanceof Stateless);
  }

  /**
   * Returns the bytes of one key without its share of tables.
   *
   * @param used the share of a rolling window or of slots in use, above 0 and up to 1
   * @param tenants the number of tenants of each counter of a limit that is shared fairly
   * @param keyLength the characters of the key's text
   * @param nameLength the characters of the key's name in Redis
   */
  double bytes(
      SizedStore store, Limit limit, double used, double tenants, int keyLength, int nameLength) {
    if (store == SizedStore.REDIS && limit instanceof RollingWindow) {
      var text = textBytes(limit, used); // steps of its room and of the allocator, not linear
      if (text.isPresent()) return RedisMemory.keyBytes(nameLength, text.getAsLong());
    }
    double state = state(store, limit, units(limit, used)) + fair(limit, tenants);
    return switch (store) {
      case MEMORY -> state + textBytes(keyLength);
      case REDIS -> state + RedisMemory.nameBytes(nameLength);
      case CLUSTER -> state + nameLength;
    };
  }

  private double state(SizedStore store, Limit limit, long units) {
    String label = label(limit);
    return switch (store) {
      case MEMORY -> linear("memory." + label, units) + array(limit);
      case REDIS -> redis(label, units);
      // The cluster stores the same bytes as Redis in entries of its own.
      case CLUSTER ->
          figures.get("cluster.token-bucket.bytes")
              + redis(label, units)
              - redis("token-bucket", 1);
    };
  }

  /** Returns the computed bytes of the array of a sliding window that can't pack its counts. */
  private static long array(Limit limit) {
    return limit instanceof SlidingWindow window && window.capacity() > window.maxPackedCount()
        ? 16 + 8L * (window.buckets() + 1)
        : 0;
  }

  private double redis(String label, long units) {
    String name = "redis." + label;
    boolean isPacked = label.equals(Algorithm.ROLLING_WINDOW.id());
    return units <= (isPacked ? PACKED_UNITS : COMPACT_UNITS)
        ? linear(name, units)
        : figures.get(name + ".bytes") + units * figures.get(name + ".large-unit-bytes");
  }

  private double linear(String name, long units) {
    return figures.get(name + ".bytes") + units * figures.get(name + ".unit-bytes");
  }

  private static double fair(Limit limit, double tenants) {
    return limit instanceof FairShare
        ? TENANT_BYTES * Math.min(tenants, FairBucket.MAX_TENANTS)
        : 0;
  }

  /**
   * Returns the bytes of the text of a state in Redis; empty for a state that is a sorted set. They
   * are those of the numbers in MessagePack, and of a packed rolling window.
   *
   * @param used the share of a rolling window in use, above 0 and up to 1
   */
  static OptionalLong textBytes(Limit limit, double used) {
    var bucket = Bucket.of(limit);
    if (bucket != null && !(limit instanceof FairShare)) {
      return OptionalLong.of(24 + numberBytes(bucket.rate().permitsInLowestTerms()));
    }
    return switch (limit) {
      case FixedWindow window -> {
        long permits = numberBytes(window.capacity());
        yield OptionalLong.of(20 + permits + (permits == 1 ? 0 : 4));
      }
      case SlidingWindow window -> {
        long count = numberBytes(Math.ceilDiv(window.capacity(), window.buckets()));
        yield OptionalLong.of(20 + (window.buckets() + 1) * count);
      }
      case RollingWindow window when units(limit, used) <= PACKED_UNITS ->
          OptionalLong.of(34 + 9 * packedRequests(units(limit, used)));
      default -> OptionalLong.empty();
    };
  }

  private static long numberBytes(long number) {
    if (number < 128) return 1;
    if (number < 256) return 2;
    if (number < 65_536) return 3;
    return number <= 0xffff_ffffL ? 5 : 9;
  }

  /** Returns the requests that the text of a packed rolling window has room for. */
  private static long packedRequests(long requests) {
    long room = 0;
    for (long size = 1; size <= requests; size++) {
      if (size <= room) continue;
      long spare = size > FEW_UNITS ? size / 8 + 1 : size > 2 ? size % 2 : 0;
      room = size + spare;
    }
    return room;
  }

  /** Returns the microseconds of CPU of Redis that one decision takes. */
  double micros(Limit limit) {
    return figures.get("redis." + label(limit) + ".micros");
  }

  /** Returns the bytes that Redis receives and sends for one decision. */
  double networkBytes(Limit limit) {
    String name = "redis." + label(limit);
    return figures.get(name + ".in-bytes") + figures.get(name + ".out-bytes");
  }

  private static String label(Limit limit) {
    var bucket = Bucket.of(limit);
    if (bucket != null && bucket.rate().permitsInLowestTerms() > WORD_PERMITS) {
      return "token-bucket-wide";
    }
    return limit.algorithm().id();
  }

  /** Returns the requests, slots or buckets of a state. */
  private static long units(Limit limit, double used) {
    return switch (limit) {
      case FairShare fair -> 1;
      case TokenBucket bucket -> 1;
      case LeakyBucket bucket -> 1;
      case FixedWindow window -> 1;
      case SlidingWindow window -> window.buckets();
      case RollingWindow window -> share(window.capacity(), used);
      case Concurrency slots -> share(slots.capacity(), used);
      case AdaptiveConcurrency slots -> share(slots.capacity(), used);
      case Stateless stateless -> 0;
    };
  }

  private static long share(long capacity, double used) {
    return Math.max(1, (long) Math.ceil(capacity * used));
  }

  /** Returns the heap of a text of Latin letters: the object, and its array in steps of 8 bytes. */
  private static long textBytes(int length) {
    return 24 + 16 + Math.ceilDiv(length, 8) * 8L;
  }
}
