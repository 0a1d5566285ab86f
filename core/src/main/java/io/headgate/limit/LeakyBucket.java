package io.headgate.limit;

import static io.headgate.limit.Exact.require;

import java.time.Duration;

/**
 * A constant output: one request every period/permits, never two at once. A request that comes
 * early waits in line if there is room in the {@link Line}, and is refused if there is not.
 *
 * <p>The arithmetic is the token bucket's, whose debt is here the time in line: the request that
 * takes a permit goes ahead when everything taken before it has been repaid.
 */
public record LeakyBucket(Rate rate, Line line) implements Limit {

  /** Who may wait. */
  public sealed interface Line {
    /** Nobody: a request that would have to wait is refused. */
    record None() implements Line {}

    /** So many, beside the one that goes ahead. */
    record Length(long requests) implements Line {
      public Length {
        require(
            requests >= 1,
            "a queue must have room for at least 1, got %d; to refuse instead, use mode reject",
            requests);
      }
    }

    /** As many as would not wait longer than this. */
    record Wait(Duration longest) implements Line {
      public Wait {
        Exact.requireLength("the longest wait", longest);
      }
    }
  }

  public LeakyBucket {
    String message =
        "a line of %s at a rate of %s can't be counted exactly (it exceeds 2^53 units, or takes"
            + " 100 years); shorten the line or choose a rounder rate";
    long waiting = waiting(line, rate, message);
    require(rate.canRepay(waiting + rate.unitPeriod), message, line, rate);
  }

  public static LeakyBucket rejecting(Rate rate) {
    return new LeakyBucket(rate, new Line.None());
  }

  public static LeakyBucket queueing(Rate rate, long requests) {
    return new LeakyBucket(rate, new Line.Length(requests));
  }

  public static LeakyBucket queueing(Rate rate, Duration longestWait) {
    return new LeakyBucket(rate, new Line.Wait(longestWait));
  }

  @Override
  public Step step(State state, long now, long cost) {
    return bucket().step(adopt(state, now), now, cost);
  }

  @Override
  public BucketState adopt(State state, long now) {
    return bucket().adopt(state, now);
  }

  @Override
  public long capacity() {
    return bucket().capacity();
  }

  @Override
  public long window() {
    return bucket().drain();
  }

  @Override
  public String algorithm() {
    return "leaky-bucket";
  }

  /** The arithmetic behind this limit, for those who do it elsewhere. */
  public Bucket bucket() {
    long units = rate.unitPeriod + waiting(line, rate, "");
    return new Bucket(rate, units, units / rate.unitPeriod, true);
  }

  /** The units that may be owed by those in line, beside the one that goes ahead. */
  private static long waiting(Line line, Rate rate, String message) {
    return switch (line) {
      case Line.None none -> 0;
      case Line.Length length ->
          Exact.product(length.requests(), rate.unitPeriod, message, line, rate);
      case Line.Wait wait ->
          Exact.product(Exact.micros(wait.longest()), rate.unitPermits, message, line, rate);
    };
  }
}
