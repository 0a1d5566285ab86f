package io.headgate.limit;

import java.util.ArrayList;
import java.util.List;

/** Sliding window: every request with the piece of time it fell into, counted from scratch. */
final class SlowSlidingWindow extends Slow {
  private record Taken(long piece, long cost) {}

  private long latest = Long.MIN_VALUE;
  private final SlidingWindow limit;
  private final long width;
  private final List<Taken> all = new ArrayList<>();

  SlowSlidingWindow(SlidingWindow limit) {
    this.limit = limit;
    this.width = limit.rate().periodMicros() / limit.buckets();
  }

  @Override
  void see(long now) {
    latest = Math.max(latest, now);
  }

  @Override
  long capacity() {
    return limit.rate().permits();
  }

  @Override
  long room(long now) {
    long piece = piece(now);
    long oldest = sum(piece - limit.buckets(), piece - limit.buckets());
    long others = sum(piece - limit.buckets() + 1, piece);
    return Math.max(0, capacity() - others - weighed(oldest, now));
  }

  @Override
  boolean fresh(long now) {
    return sum(piece(now) - limit.buckets(), piece(now)) == 0;
  }

  @Override
  void take(long now, long cost) {
    all.add(new Taken(piece(now), cost));
  }

  private long weighed(long oldest, long now) {
    return switch (limit.bound()) {
      case CONSERVATIVE -> oldest;
      case INTERPOLATED -> {
        // Of the oldest piece, the window still covers what the current one has not yet used up.
        long intoCurrent = Math.max(0, now - piece(now) * width);
        yield Math.ceilDiv(Math.multiplyExact(oldest, width - intoCurrent), width);
      }
    };
  }

  /** A piece that was entered is not left again by a clock that steps back. */
  private long piece(long now) {
    return Math.floorDiv(Math.max(now, latest), width);
  }

  private long sum(long first, long last) {
    return all.stream()
        .filter(taken -> taken.piece >= first && taken.piece <= last)
        .mapToLong(Taken::cost)
        .sum();
  }
}
