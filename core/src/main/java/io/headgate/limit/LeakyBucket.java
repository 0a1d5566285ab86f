package io.headgate.limit;

import static io.headgate.limit.Bounds.require;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Leaky bucket as a queue: a constant output of one request per {@code period/permits}. A request
 * that arrives earlier is delayed if the {@link Queue} has room, and refused otherwise.
 *
 * <p>The arithmetic is that of {@link TokenBucket}, with the debt as the waiting time: a request is
 * sent when all requests before it have been repaid.
 *
 * @param rate the constant output
 * @param queue how many requests, or how long, may wait
 */
public record LeakyBucket(Rate rate, Queue queue) implements Limit {

  /** The bound of the queue. */
  public sealed interface Queue {
    /** No queue: a request that would have to wait is refused. */
    record None() implements Queue {}

    /** A queue of at most this many requests, not counting the one that is sent. */
    record Length(long requests) implements Queue {
      /** Throws {@link IllegalArgumentException} if the length is less than 1. */
      public Length {
        require(
            requests >= 1,
            "a queue must have room for at least 1, got %d; to refuse instead, use mode reject",
            requests);
      }
    }

    /** A queue in which no request waits longer than {@code max}. */
    record Wait(Duration max) implements Queue {
      /**
       * Validates the parameters; throws {@link IllegalArgumentException} if one is out of range.
       */
      public Wait {
        Bounds.requireDuration("the maximum wait", max);
      }
    }
  }

  /** Throws {@link IllegalArgumentException} if the queue can't be counted exactly. */
  public LeakyBucket {
    String message =
        "a queue of %s at a rate of %s can't be counted exactly (it exceeds 2^53 units, or takes"
            + " 100 years); shorten the queue or choose a rounder rate";
    long waiting = waiting(queue, rate, message);
    require(rate.canRepay(waiting + rate.unitPeriod), message, queue, rate);
  }

  /** Creates a limit without a queue, which refuses every request that would have to wait. */
  public static LeakyBucket of(Rate rate) {
    return new LeakyBucket(rate, new Queue.None());
  }

  /**
   * Returns this limit with a queue of at most this many requests.
   *
   * @throws IllegalArgumentException if {@code requests} is less than 1 or the queue can't be
   *     counted exactly
   */
  public LeakyBucket withQueue(long requests) {
    return new LeakyBucket(rate, new Queue.Length(requests));
  }

  /**
   * Returns this limit with a queue in which no request waits longer than {@code maxWait}.
   *
   * @throws IllegalArgumentException if {@code maxWait} is not a positive number of whole
   *     microseconds or the queue can't be counted exactly
   */
  public LeakyBucket withMaxWait(Duration maxWait) {
    return new LeakyBucket(rate, new Queue.Wait(maxWait));
  }

  /**
   * Returns the longest delay of a request that is admitted, rounded up to a microsecond. Zero
   * without a queue.
   */
  public Duration longestDelay() {
    return Duration.of(Math.ceilDiv(waiting(queue, rate, ""), rate.unitPermits), ChronoUnit.MICROS);
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
   * Divides the rate and the queue. Each instance sends one request without queueing it, so the
   * queues together are shorter by one request per further instance. No request waits longer than
   * in the undivided queue.
   */
  @Override
  public LeakyBucket dividedBy(int n) {
    long part = Utilization.partOf(n, capacity());
    if (n == 1) return this;
    var slower = rate.dividedBy(n);
    var shorter =
        switch (queue) {
          case Queue.None none -> none;
          case Queue.Length length -> queueOf(slower.repayable(part) - 1);
          case Queue.Wait wait -> queueOf(remainingWait(wait, n), slower);
        };
    return new LeakyBucket(slower, shorter);
  }

  private static Queue queueOf(long requests) {
    return requests < 1 ? new Queue.None() : new Queue.Length(requests);
  }

  /** Returns the maximum wait less the time of the {@code n - 1} requests that others may send. */
  private long remainingWait(Queue.Wait wait, int n) {
    long micros = Bounds.micros(wait.max());
    if (n - 1 > micros * rate.unitPermits / rate.unitPeriod) return 0;
    return micros - Math.ceilDiv((n - 1) * rate.unitPeriod, rate.unitPermits);
  }

  private static Queue queueOf(long micros, Rate rate) {
    long first = Math.ceilDiv(rate.unitPeriod, rate.unitPermits);
    long max = Math.min(micros, Bounds.micros(Bounds.MAX_DURATION) - first);
    return max < 1 ? new Queue.None() : new Queue.Wait(Duration.of(max, ChronoUnit.MICROS));
  }

  @Override
  public long capacity() {
    return bucket().capacity();
  }

  @Override
  public long window() {
    return bucket().refillTime();
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.LEAKY_BUCKET;
  }

  /** Returns the arithmetic of this limit, for stores that evaluate it themselves. */
  public Bucket bucket() {
    long units = rate.unitPeriod + waiting(queue, rate, "");
    return new Bucket(rate, units, units / rate.unitPeriod, true);
  }

  /** Returns the debt of a full queue in units, not counting the request that is sent. */
  private static long waiting(Queue queue, Rate rate, String message) {
    return switch (queue) {
      case Queue.None none -> 0;
      case Queue.Length length ->
          Bounds.product(length.requests(), rate.unitPeriod, message, queue, rate);
      case Queue.Wait wait ->
          Bounds.product(Bounds.micros(wait.max()), rate.unitPermits, message, queue, rate);
    };
  }
}
