package io.headgate.internal.consistency;

import io.headgate.limit.Holdable;
import io.headgate.rule.Charge;
import io.headgate.rule.Combine;
import io.headgate.rule.Consistency;
import io.headgate.rule.Plan;
import io.headgate.store.Ticker;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Selects the local counters of a plan by the consistency modes of its rules. A rule is decided as
 * a whole: all of its charges have a local counter, or the store decides all of them.
 *
 * <p>Charges of strict and auto rules are recorded in the hot key sketch. Leased and eventual rules
 * do not depend on it. Thread-safe.
 */
final class LocalCounterSelector {
  private final LocalCounterTable table;
  private final HotKeySketch hotKeys;
  private final DenialCache denials;
  private final BackgroundSync sync;
  private final LongSupplier nanos;
  private final Ticker ticker;

  LocalCounterSelector(
      LocalCounterTable table,
      HotKeySketch hotKeys,
      DenialCache denials,
      BackgroundSync sync,
      LongSupplier nanos,
      Ticker ticker) {
    this.table = table;
    this.hotKeys = hotKeys;
    this.denials = denials;
    this.sync = sync;
    this.nanos = nanos;
    this.ticker = ticker;
  }

  /** Returns the local counter of a charge; null if the store has to decide. */
  @Nullable LocalCounter counterOf(Plan.Part part, Charge charge) {
    return switch (modeOf(part)) {
      case STRICT -> {
        hotKeys.record(charge); // for statistics
        yield null;
      }
      case AUTO -> hotKeys.record(charge) ? leaseOf(charge) : null;
      case LEASED -> leaseOf(charge);
      case EVENTUAL -> copyOf(charge);
    };
  }

  /** Returns the local counters of a plan, null for those of the store; null if there are none. */
  @Nullable LocalCounter @Nullable [] countersOf(Plan plan) {
    @Nullable LocalCounter @Nullable [] counters = null;
    for (var part : plan.parts()) {
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var counter = counterOf(part, plan.charges().get(i));
        if (counter == null) break; // the store decides the whole rule
        if (counters == null) counters = new @Nullable LocalCounter[plan.charges().size()];
        counters[i] = counter;
      }
      if (counters != null) clearIfPartial(part, counters);
    }
    return counters;
  }

  /** Leaves a rule to the store if not all of its limits have a local counter. */
  private static void clearIfPartial(Plan.Part part, @Nullable LocalCounter[] counters) {
    int end = part.from() + part.counters().size();
    if (counters[end - 1] != null) return;
    for (int i = part.from(); i < end; i++) counters[i] = null;
  }

  /** Returns the mode of a rule; strict if one of its limits can't be decided locally. */
  private static Consistency modeOf(Plan.Part part) {
    var mode = part.rule().consistency();
    return mode == Consistency.STRICT || isHoldable(part) ? mode : Consistency.STRICT;
  }

  private static boolean isHoldable(Plan.Part part) {
    var combine = part.rule().combine();
    boolean all = !(combine instanceof Combine.Any) && !(combine instanceof Combine.Weighted);
    if (part.counters().size() > 1 && !all) return false;
    for (var counter : part.counters()) {
      if (!(counter.limit() instanceof Holdable)) return false;
    }
    return true;
  }

  private @Nullable PermitLease leaseOf(Charge charge) {
    return table.obtain(
        charge, PermitLease.class, () -> new PermitLease(charge, denials, nanos.getAsLong()));
  }

  /**
   * Returns the local copy of a charge's counter. The store's state of a new copy is requested at
   * once, since other instances may have used the counter.
   */
  private @Nullable LocalCopy copyOf(Charge charge) {
    return table.obtain(
        charge,
        LocalCopy.class,
        () -> {
          var queue = sync.queueOf(charge.key());
          boolean usable = !table.hasEvicted();
          long interval = sync.syncInterval().toNanos();
          var copy =
              new LocalCopy(charge, usable, queue, interval, ticker.micros(), nanos.getAsLong());
          sync.syncSoon(copy, queue);
          return copy;
        });
  }
}
