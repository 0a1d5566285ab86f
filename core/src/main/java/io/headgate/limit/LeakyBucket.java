package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * A constant output: one request every period/permits, never two at once. A request that comes
 * early waits in line if there is room in the {@link Queue}, and is refused if there is not.
 *
 * <p>The arithmetic is the token bucket's, whose debt is here the time in line: the request that
 * takes a permit goes ahead when everything taken before it has been repaid.
 */
public record LeakyBucket(Rate rate, Queue line) implements Limit {

  /** Who may wait. */
  public sealed interface Queue {
    /** Nobody: a request that would have to wait is refused. */
    record None() implements Queue {}

    /** So many, beside the one that goes ahead. */
    record Length(long requests) implements Queue {
      public Length {
        require(
            requests >= 1,
            "a queue must have room for at least 1, got %d; to refuse instead, use mode reject",
            requests);
      }
    }

    /** As many as would not wait longer than this. */
    record Wait(Duration longest) implements Queue {
      public Wait {
        Bounds.requireLength("the longest wait", longest);
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
    return new LeakyBucket(rate, new Queue.None());
  }

  public static LeakyBucket queueing(Rate rate, long requests) {
    return new LeakyBucket(rate, new Queue.Length(requests));
  }

  public static LeakyBucket queueing(Rate rate, Duration longestWait) {
    return new LeakyBucket(rate, new Queue.Wait(longestWait));
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
  public LeakyBucket dividedBy(int n) {
    long part = Utilization.among(n, capacity());
    if (n == 1) return this;
    var slower = rate.dividedBy(n);
    var shorter =
        switch (line) {
          case Queue.None none -> none;
          case Queue.Length length -> lineOf(slower.repayable(part) - 1);
          case Queue.Wait wait -> lineOf(remainingWait(wait, n), slower);
        };
    return new LeakyBucket(slower, shorter);
  }

  private static Queue lineOf(long requests) {
    return requests < 1 ? new Queue.None() : new Queue.Length(requests);
  }

  /** What is left of the wait when {@code n - 1} go ahead beside the first. */
  private long remainingWait(Queue.Wait wait, int n) {
    long micros = Bounds.micros(wait.longest());
    if (n - 1 > micros * rate.unitPermits / rate.unitPeriod) return 0;
    return micros - Math.ceilDiv((n - 1) * rate.unitPeriod, rate.unitPermits);
  }

  private static Queue lineOf(long micros, Rate rate) {
    long first = Math.ceilDiv(rate.unitPeriod, rate.unitPermits);
    long longest = Math.min(micros, Bounds.micros(Bounds.LONGEST) - first);
    return longest < 1 ? new Queue.None() : new Queue.Wait(Duration.of(longest, ChronoUnit.MICROS));
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
  private static long waiting(Queue line, Rate rate, String message) {
    return switch (line) {
      case Queue.None none -> 0;
      case Queue.Length length ->
          Bounds.product(length.requests(), rate.unitPeriod, message, line, rate);
      case Queue.Wait wait ->
          Bounds.product(Bounds.micros(wait.longest()), rate.unitPermits, message, line, rate);
    };
  }
}
