package io.headgate.consistency;

import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.State;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.store.HoldingStore.Known;
import io.headgate.store.Source;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A local copy: the state of one counter as the store had it when it last answered, with what has
 * been counted here since.
 *
 * <p>It is kept by the store's clock: what that said last, plus the time since by the steady clock
 * of this machine. So instances whose clocks differ agree on when a window ends, and no time of day
 * is ever sent.
 *
 * <p>Decides nothing, so that the store does, while it may be far from the shared state: before the
 * first answer if the counter may have been used here before, while the shared state is of another
 * limit, and when reports have failed for {@link #UNHEARD_FOR}.
 */
final class LocalCopy implements LocalCounter {
  static final long UNHEARD_FOR = 1_000_000_000;

  private static final long SHORTEST_LIFE = 1_000_000_000;

  /** A report that is under way, in permits of the limit it was counted under. */
  record Report(Charge charge, Holdable limit) {}

  private final String key;
  private final SyncQueue outbox;
  private final AtomicBoolean queued = new AtomicBoolean();
  private Counter counter; // of the charge that came last
  private Holdable limit;
  private State state = State.FRESH;
  private boolean known;
  private long behind; // what to add to this machine's steady clock, in µs, to have the store's
  private long pending; // counted here and not reported, in permits of the limit
  private boolean reporting;
  private boolean failing;
  private long failingSince;
  private int tellings;
  private long lastUsed;

  /**
   * @param known whether a fresh state is as good as the store's until the first answer
   * @param time the store's, as far as can be guessed
   */
  LocalCopy(Charge charge, boolean known, SyncQueue outbox, long time, long now) {
    this.key = charge.key();
    this.outbox = outbox;
    this.counter = charge.counter();
    this.limit = (Holdable) charge.limit();
    this.known = known;
    this.behind = time - now / 1_000;
    this.lastUsed = now;
  }

  @Override
  public @Nullable Outcome spend(Charge charge, long now) {
    var outcome = count(charge, now);
    outbox.changed(this);
    return outcome;
  }

  private synchronized @Nullable Outcome count(Charge charge, long now) {
    adopt(charge);
    lastUsed = now;
    if (!known || isUnheard(now)) return null;
    var step = limit.step(state, time(now), charge.cost());
    state = step.state();
    if (step.outcome() instanceof Passed) pending += charge.cost();
    return step.outcome();
  }

  /** A changed limit takes over the state as it takes over any other: in proportion. */
  @SuppressWarnings("ReferenceEquality")
  private void adopt(Charge charge) {
    if (counter == charge.counter()) return;
    counter = charge.counter();
    var before = limit;
    limit = (Holdable) charge.limit();
    if (!limit.equals(before)) pending = limit.inProportion(pending, before);
  }

  private boolean isUnheard(long now) {
    return outbox.isUnheard(now) || (failing && now - failingSince > UNHEARD_FOR);
  }

  /** The state stays charged until the next report; only what is reported is put right at once. */
  @Override
  public synchronized void giveBack(long cost, int tellings) {
    if (tellings == this.tellings) pending = Math.max(0, pending - cost);
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
  public Source source(Outcome outcome) {
    return Source.CACHE;
  }

  @Override
  public void refused(Charge charge, Refused refused, long now) {
    // The next report brings all that there is to know.
  }

  @Override
  public synchronized Charge look() {
    return new Charge(counter, key, 0, 0);
  }

  @Override
  public boolean enqueue() {
    return !queued.get() && queued.compareAndSet(false, true); // a mere look, most often
  }

  @Override
  public void dequeue() {
    queued.set(false);
  }

  /** What to report, which counts as reported from now on; null while a report is under way. */
  synchronized @Nullable Report report() {
    if (reporting) return null;
    reporting = true;
    tellings++;
    var report = new Report(new Charge(counter, key, pending, 0), limit);
    pending = 0;
    return report;
  }

  synchronized void heard(Report report, Known told, long now) {
    reporting = false;
    failing = false;
    known = told.counted();
    if (!known) pending += limit.inProportion(report.charge.cost(), report.limit);
    behind = told.now() - now / 1_000;
    state = pending == 0 ? told.state() : limit.charged(told.state(), told.now(), pending);
  }

  /**
   * The report was not answered.
   *
   * @param unsent whether it surely was not sent. If it may have been, it is not repeated: a charge
   *     must not be made twice.
   */
  synchronized void unheard(Report report, boolean unsent, long now) {
    reporting = false;
    if (!failing) failingSince = now;
    failing = true;
    if (unsent) pending += limit.inProportion(report.charge.cost(), report.limit);
  }

  @Override
  public synchronized boolean isSettled() {
    return !reporting && pending == 0;
  }

  /**
   * Whether it says no more than a new copy would: nothing is left to report, and the state is
   * fresh. What the store does not accept, because the counter is of another limit by now, counts
   * for no longer than the limit it was counted under.
   */
  synchronized boolean isOver(long now) {
    if (reporting) return false;
    long idle = now - lastUsed;
    if (!known && idle > Math.max(SHORTEST_LIFE, limit.window() * 1_000)) return true;
    return pending == 0 && !queued.get() && idle > SHORTEST_LIFE && state.freshAt() <= time(now);
  }

  /** How long it has not been used; less than 0 if it may not be evicted. */
  synchronized long idle(long now) {
    return reporting || pending > 0 || queued.get() ? -1 : now - lastUsed;
  }

  private long time(long now) {
    return now / 1_000 + behind;
  }
}
