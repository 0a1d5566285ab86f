package io.headgate.server.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/** A latency histogram with fixed buckets. Adding a value allocates nothing. */
final class PrometheusHistogram {
  /** Bucket bounds, from a check in memory to one that reached every deadline. */
  private static final double[] SECONDS = {
    0.000_005,
    0.000_02,
    0.000_1,
    0.000_25,
    0.000_5,
    0.001,
    0.002_5,
    0.005,
    0.01,
    0.015,
    0.025,
    0.05,
    0.1,
    0.25,
    1,
    Double.POSITIVE_INFINITY
  };

  private static final long[] NANOS = new long[SECONDS.length - 1];
  private static final int SUM = SECONDS.length; // the index after the counts

  static {
    for (int i = 0; i < NANOS.length; i++) NANOS[i] = Math.round(SECONDS[i] * 1e9);
  }

  private final AtomicLongArray counts = new AtomicLongArray(SECONDS.length + 1);

  /** Adds a value; thread-safe. */
  void add(long nanos) {
    counts.getAndIncrement(bucket(nanos));
    counts.getAndAdd(SUM, nanos);
  }

  /** Adds a value without atomic operations; only for histograms with a single writer thread. */
  void addSingleWriter(long nanos) {
    int bucket = bucket(nanos);
    counts.setOpaque(bucket, counts.getPlain(bucket) + 1);
    counts.setOpaque(SUM, counts.getPlain(SUM) + nanos);
  }

  private static int bucket(long nanos) {
    int bucket = 0;
    while (bucket < NANOS.length && nanos > NANOS[bucket]) bucket++;
    return bucket;
  }

  /** Returns the sum of several histograms. */
  static HistogramSnapshot snapshot(String name, String help, List<PrometheusHistogram> parts) {
    var buckets = new long[SECONDS.length];
    long sum = 0;
    for (var part : parts) {
      for (int i = 0; i < buckets.length; i++) buckets[i] += part.counts.get(i);
      sum += part.counts.get(SUM);
    }
    return HistogramSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(
            HistogramDataPointSnapshot.builder()
                .classicHistogramBuckets(ClassicHistogramBuckets.of(SECONDS, buckets))
                .sum(sum / 1e9)
                .build())
        .build();
  }
}
