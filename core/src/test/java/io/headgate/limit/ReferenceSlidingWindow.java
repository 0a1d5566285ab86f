package io.headgate.limit;

import java.util.ArrayList;
import java.util.List;

/** Reference for sliding window: every request with its bucket, recounted for each check. */
final class ReferenceSlidingWindow extends ReferenceLimit {
  private record Entry(long bucket, long cost) {}

  private long latest = Long.MIN_VALUE;
  private final SlidingWindow limit;
  private final long width;
  private final List<Entry> all = new ArrayList<>();

  ReferenceSlidingWindow(SlidingWindow limit) {
    this.limit = limit;
    this.width = limit.rate().periodMicros() / limit.buckets();
  }

  @Override
  void observe(long now) {
    latest = Math.max(latest, now);
  }

  @Override
  long capacity() {
    return limit.rate().permits();
  }

  @Override
  long room(long now) {
    long bucket = bucket(now);
    long oldest = sum(bucket - limit.buckets(), bucket - limit.buckets());
    long others = sum(bucket - limit.buckets() + 1, bucket);
    return Math.max(0, capacity() - others - weighed(oldest, now));
  }

  @Override
  boolean fresh(long now) {
    return sum(bucket(now) - limit.buckets(), bucket(now)) == 0;
  }

  @Override
  void take(long now, long cost) {
    all.add(new Entry(bucket(now), cost));
  }

  private long weighed(long oldest, long now) {
    return switch (limit.bound()) {
      case CONSERVATIVE -> oldest;
      case INTERPOLATED -> {
        // The window covers the part of the oldest bucket that corresponds to the rest of the
        // current one.
        long intoCurrent = Math.max(0, now - bucket(now) * width);
        yield Math.ceilDiv(Math.multiplyExact(oldest, width - intoCurrent), width);
      }
    };
  }

  /** A bucket continues if the clock steps back. */
  private long bucket(long now) {
    return Math.floorDiv(Math.max(now, latest), width);
  }

  private long sum(long first, long last) {
    return all.stream()
        .filter(entry -> entry.bucket >= first && entry.bucket <= last)
        .mapToLong(Entry::cost)
        .sum();
  }
}
