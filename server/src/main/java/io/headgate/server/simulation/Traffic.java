package io.headgate.server.simulation;

import java.util.List;
import java.util.SplittableRandom;

/** Generated traffic. Each request costs 1. */
public sealed interface Traffic {
  long SECOND = 1_000_000;

  /** Adds the arrivals, until no more are accepted. */
  void into(Arrivals arrivals);

  /** A constant rate with equal gaps. */
  record Steady(double perSecond) implements Traffic {
    @Override
    public void into(Arrivals arrivals) {
      if (perSecond <= 0) return;
      for (long i = 0; ; i++) {
        long time = (long) (i * (SECOND / perSecond));
        if (time >= arrivals.end() || !arrivals.add(time)) return;
      }
    }
  }

  /** Bursts of equal size at a fixed interval. */
  record Bursts(long size, long everyMicros) implements Traffic {
    @Override
    public void into(Arrivals arrivals) {
      if (size == 0) return;
      for (long time = 0; time < arrivals.end(); time += everyMicros) {
        if (!arrivals.add(time, size)) return;
      }
    }
  }

  /** A rate that rises linearly from zero. */
  record Ramp(double perSecond) implements Traffic {
    @Override
    public void into(Arrivals arrivals) {
      if (perSecond <= 0) return;
      // The number of arrivals until t is perSecond / 2 / end * t * t.
      double square = 2.0 * arrivals.end() * SECOND / perSecond;
      for (long i = 0; ; i++) {
        long time = (long) Math.sqrt((i + 0.5) * square);
        if (time >= arrivals.end() || !arrivals.add(time)) return;
      }
    }
  }

  /** A Poisson process with a constant mean rate. */
  record Random(double perSecond, long seed) implements Traffic {
    @Override
    public void into(Arrivals arrivals) {
      if (perSecond <= 0) return;
      var random = new SplittableRandom(seed);
      double time = 0;
      while (true) {
        time += -Math.log(1 - random.nextDouble()) * SECOND / perSecond;
        if (time >= arrivals.end() || !arrivals.add((long) time)) return;
      }
    }
  }

  /**
   * Bursts on both sides of each window boundary, the worst case of fixed windows: {@code size}
   * requests just before the boundary and as many at it.
   */
  record Edges(long size, long windowMicros) implements Traffic {
    private static final long BEFORE = 1_000;

    @Override
    public void into(Arrivals arrivals) {
      if (size == 0) return;
      for (long edge = windowMicros; edge - BEFORE < arrivals.end(); edge += windowMicros) {
        if (!arrivals.add(edge - BEFORE, size) || !arrivals.add(edge, size)) return;
      }
    }
  }

  /** A drawn rate: a number of requests for each second, with equal gaps. */
  record Drawn(List<Long> perSecond) implements Traffic {
    public Drawn {
      perSecond = List.copyOf(perSecond);
    }

    @Override
    public void into(Arrivals arrivals) {
      for (int second = 0; second < perSecond.size(); second++) {
        long count = perSecond.get(second);
        for (long i = 0; i < count; i++) {
          long time = second * SECOND + (long) (i * (double) SECOND / count);
          if (time >= arrivals.end() || !arrivals.add(time)) return;
        }
      }
    }
  }

  /** Arrivals at given times, in microseconds. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Times(long[] micros) implements Traffic {
    @Override
    public void into(Arrivals arrivals) {
      for (long time : micros) {
        if (!arrivals.add(time)) return;
      }
    }
  }

  /** The union of two kinds of traffic. */
  record Both(Traffic first, Traffic second) implements Traffic {
    @Override
    public void into(Arrivals arrivals) {
      first.into(arrivals);
      second.into(arrivals);
    }
  }
}
