package io.headgate.store;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * A bound on what a process keeps at once, such as connections, queued commands or bytes: how much
 * is in use, the limit, and how often something was refused because of it. Budgets with the same
 * name, such as one for each event loop, are reported as one. Thread-safe.
 */
public final class Budget {
  private final String name;
  private final long limit;
  private final String advice;
  private final AtomicLong taken = new AtomicLong();
  private final LongSupplier used;
  private final LongAdder refused = new LongAdder();

  /**
   * Creates a budget that counts its use itself; see {@link #tryTake} and {@link #giveBack}.
   *
   * @param name the value of a label in metrics: lower-case words joined by underscores
   * @param limit the highest use
   * @param advice what an operator can do if it is used up, as the end of a sentence
   */
  public Budget(String name, long limit, String advice) {
    this.name = name;
    this.limit = limit;
    this.advice = advice;
    this.used = taken::get;
  }

  /**
   * Creates a budget whose use is counted elsewhere, so that it only counts refusals.
   *
   * @param used returns the present use, from any thread
   */
  public Budget(String name, long limit, LongSupplier used, String advice) {
    this.name = name;
    this.limit = limit;
    this.advice = advice;
    this.used = used;
  }

  /**
   * Takes one place.
   *
   * @return false, with nothing taken and a refusal counted, if the limit is reached
   */
  public boolean tryTake() {
    return tryTake(1);
  }

  /**
   * Takes several places, or none.
   *
   * @return false, with nothing taken and a refusal counted, if the limit would be exceeded
   */
  public boolean tryTake(long places) {
    if (taken.addAndGet(places) <= limit) return true;
    taken.addAndGet(-places);
    refuse();
    return false;
  }

  /** Gives back places that were taken. */
  public void giveBack(long places) {
    taken.addAndGet(-places);
  }

  /** Counts a refusal. */
  public void refuse() {
    refused.increment();
  }

  /** Returns the name. */
  public String name() {
    return name;
  }

  /** Returns what an operator can do if it is used up, as the end of a sentence. */
  public String advice() {
    return advice;
  }

  /** Returns the present use. */
  public long used() {
    return used.getAsLong();
  }

  /** Returns the highest use. */
  public long limit() {
    return limit;
  }

  /** Returns the number of refusals. */
  public long refused() {
    return refused.sum();
  }
}
