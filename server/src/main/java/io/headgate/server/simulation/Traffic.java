package io.headgate.server.simulation;

import java.util.List;
import java.util.SplittableRandom;

/** Requests that nobody sent, each at a cost of 1. */
public sealed interface Traffic {
  long SECOND = 1_000_000;

  /** Adds them, until no more are taken. */
  void into(Arrivals arrivals);

  /** As many each second, evenly. */
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

  /** So many at once, every so often. */
  record Bursts(long size, long everyMicros) implements Traffic {
    @Override
    public void into(Arrivals arrivals) {
      if (size == 0) return;
      for (long time = 0; time < arrivals.end(); time += everyMicros) {
        if (!arrivals.add(time, size)) return;
      }
    }
  }

  /** From none to so many each second, ever faster. */
  record Ramp(double perSecond) implements Traffic {
    @Override
    public void into(Arrivals arrivals) {
      if (perSecond <= 0) return;
      // Until t there have been perSecond / 2 / end * t * t.
      double square = 2.0 * arrivals.end() * SECOND / perSecond;
      for (long i = 0; ; i++) {
        long time = (long) Math.sqrt((i + 0.5) * square);
        if (time >= arrivals.end() || !arrivals.add(time)) return;
      }
    }
  }

  /** As many each second on average, each whenever it likes (a Poisson process). */
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
   * As who knows where windows end would come: so many in the last moment of each, and as many in
   * the first of the next.
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

  /** As many in each second as drawn for it, evenly within it. */
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

  /** At these times, in microseconds. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares traffic
  record Times(long[] micros) implements Traffic {
    @Override
    public void into(Arrivals arrivals) {
      for (long time : micros) {
        if (!arrivals.add(time)) return;
      }
    }
  }

  /** One and the other. */
  record Both(Traffic first, Traffic second) implements Traffic {
    @Override
    public void into(Arrivals arrivals) {
      first.into(arrivals);
      second.into(arrivals);
    }
  }
}
