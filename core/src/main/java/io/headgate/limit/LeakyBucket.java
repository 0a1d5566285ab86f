package io.headgate.limit;

import static io.headgate.limit.Exact.require;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

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

  /**
   * Each instance has one that goes ahead, so the lines together must be as much shorter as there
   * are more of those. Nobody waits longer than in the one line.
   */
  @Override
  public LeakyBucket sharedAmong(int n) {
    long part = Share.among(n, capacity());
    if (n == 1) return this;
    var slower = rate.sharedAmong(n);
    var shorter =
        switch (line) {
          case Line.None none -> none;
          case Line.Length length -> lineOf(slower.repayable(part) - 1);
          case Line.Wait wait -> lineOf(remainingWait(wait, n), slower);
        };
    return new LeakyBucket(slower, shorter);
  }

  private static Line lineOf(long requests) {
    return requests < 1 ? new Line.None() : new Line.Length(requests);
  }

  /** What is left of the wait when {@code n - 1} go ahead beside the first. */
  private long remainingWait(Line.Wait wait, int n) {
    long micros = Exact.micros(wait.longest());
    if (n - 1 > micros * rate.unitPermits / rate.unitPeriod) return 0;
    return micros - Math.ceilDiv((n - 1) * rate.unitPeriod, rate.unitPermits);
  }

  private static Line lineOf(long micros, Rate rate) {
    long first = Math.ceilDiv(rate.unitPeriod, rate.unitPermits);
    long longest = Math.min(micros, Exact.micros(Exact.LONGEST) - first);
    return longest < 1 ? new Line.None() : new Line.Wait(Duration.of(longest, ChronoUnit.MICROS));
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
