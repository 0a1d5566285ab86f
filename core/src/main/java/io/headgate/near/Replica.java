package io.headgate.near;

import io.headgate.limit.Divisible;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.store.Evidence;
import io.headgate.store.SharedCounts.Known;

/**
 * The state of one counter as the store had it when it was last heard of, with what has been
 * counted here since.
 *
 * <p>It is kept by the store's clock: what that said last, plus the time since by the steady clock
 * of this machine. So instances whose clocks differ agree on when a window ends, and no time of day
 * is ever sent.
 */
final class Replica implements NearCounter {
  private Divisible limit;
  private State state = State.FRESH;
  private long behind; // what to add to this machine's steady clock, in µs, to have the store's
  private long pending; // counted here and not reported
  private boolean asked; // since the last report
  private boolean reporting;
  private int tellings;
  private long lastUsed;

  /**
   * @param time the store's, as far as can be guessed
   */
  Replica(Divisible limit, long time, long now) {
    this.limit = limit;
    this.behind = time - now / 1_000;
    this.lastUsed = now;
  }

  @Override
  public synchronized Outcome spend(Charge charge, long now) {
    asked = true;
    lastUsed = now;
    limit = (Divisible) charge.limit();
    var step = limit.step(state, time(now), charge.cost());
    state = step.state();
    if (step.outcome() instanceof Passed) pending += charge.cost();
    return step.outcome();
  }

  /** The state stays charged until the next report; only what is reported is put right at once. */
  @Override
  public synchronized void giveBack(long cost, int tellings) {
    if (tellings == this.tellings) pending -= cost;
  }

  @Override
  public synchronized int tellings() {
    return tellings;
  }

  @Override
  public synchronized Outcome standing(long now) {
    return limit.step(state, time(now), 0).outcome();
  }

  @Override
  public Evidence evidence(Outcome outcome) {
    return Evidence.LOCAL;
  }

  @Override
  public void refused(Charge charge, Refused refused, long now) {
    // The next report brings all that there is to know.
  }

  /**
   * What to report, and from now on it counts as reported; less than 0 if there is nothing to say
   * or to learn.
   */
  synchronized long report() {
    if (!asked || reporting) return -1;
    asked = false;
    reporting = true;
    tellings++;
    long told = pending;
    pending = 0;
    return told;
  }

  synchronized void heard(Known known, long now) {
    reporting = false;
    behind = known.now() - now / 1_000;
    state = pending == 0 ? known.state() : limit.charged(known.state(), known.now(), pending);
  }

  /**
   * The report did not arrive.
   *
   * @param surely whether that is known; if it may have been heard it is not told again, since
   *     nobody is to be charged twice
   */
  synchronized void unheard(long told, boolean surely) {
    reporting = false;
    asked = true;
    if (surely) pending += told;
  }

  synchronized boolean isOver(long now) {
    long idle = Math.max(1_000_000, Math.min(limit.window(), 60_000_000)) * 1_000;
    return !asked && !reporting && pending == 0 && now - lastUsed > idle;
  }

  private long time(long now) {
    return now / 1_000 + behind;
  }
}
