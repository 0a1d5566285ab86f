package io.headgate.benchmarks.sizing;

import io.headgate.benchmarks.Callers;
import io.headgate.benchmarks.HeadgateRemote;
import io.headgate.cluster.ClusterOptions;
import io.headgate.cluster.ClusterStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import io.headgate.testkit.net.FreePorts;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Measures the live heap of a key: in the memory store, and in the cluster store of one member. */
final class HeapSizes {
  private static final Duration WINDOW = Duration.ofDays(1);

  private final Callers callers;
  private final int keys;
  private final LongSupplier heap;

  /**
   * @param heap returns the bytes of the live heap
   */
  HeapSizes(Callers callers, int keys, LongSupplier heap) {
    this.callers = callers;
    this.keys = keys;
    this.heap = heap;
  }

  /** Returns the bytes of a key in the memory store, without its text. */
  LinearFit memory(SizedLimit limit) throws Exception {
    return fit(limit, () -> MemoryStore.create(Ticker.system(), keys * 2 + 1_000));
  }

  /** Returns the bytes of a key of a token bucket in the cluster store, without its name. */
  double cluster() throws Exception {
    int port = FreePorts.find(1).getFirst();
    var options =
        ClusterOptions.builder("127.0.0.1:" + port)
            .port(port)
            .name("sizing")
            .deadline(HeadgateRemote.DEADLINE)
            .build();
    // The grid keeps the name of the key as in Redis, in one byte for each character.
    return measure(SizedLimit.TOKEN_BUCKET, 1, () -> ClusterStore.join(options))
        + textBytes(FilledKeys.KEY_LENGTH)
        - RedisSizes.NAME_LENGTH;
  }

  private LinearFit fit(SizedLimit limit, Supplier<Store> store) throws Exception {
    var units = limit.units();
    int first = units.getFirst();
    double bytes = measure(limit, first, store);
    if (units.size() == 1) return new LinearFit(bytes, 0);
    return LinearFit.through(first, bytes, units.getLast(), measure(limit, units.getLast(), store));
  }

  private double measure(SizedLimit limit, int units, Supplier<Store> open) throws Exception {
    int each = limit.growsByRequest() ? units : 1;
    // As many requests for each measurement, so that large states do not take longer.
    int count = Math.max(Math.min(keys, 1_000), keys / each);
    try (var limiter = FilledKeys.limiter(open.get(), limit.limit(WINDOW, units))) {
      FilledKeys.awaitStore(limiter);
      long before = heap.getAsLong();
      FilledKeys.fill(callers, limiter, limit.cost(), count, each);
      double bytes = (heap.getAsLong() - before) / (double) count;
      return bytes - textBytes(FilledKeys.KEY_LENGTH);
    }
  }

  /** Returns the bytes of a text of Latin letters: the object and its array. */
  static long textBytes(int length) {
    return 24 + 16 + Math.ceilDiv(length, 8) * 8L;
  }
}
