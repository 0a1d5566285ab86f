package io.headgate.store;

import io.headgate.limit.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A store's reply to a plan: the outcome of each limit, in the order of the plan's charges, and the
 * source of the decision. Immutable.
 */
public final class PlanResult {
  /** The result of a plan without charges. */
  public static final PlanResult EMPTY = new PlanResult(List.of(), Source.STORE);

  /** The result of a plan that drops the request by a level that this instance has cached. */
  public static final PlanResult SHED = new PlanResult(List.of(), Source.CACHE);

  private final @Nullable Outcome single; // saves the list: most plans have one limit
  private final List<Outcome> several;
  private final Source source;

  /** Creates the result of a plan with any number of charges. The list must not change. */
  public PlanResult(List<Outcome> outcomes, Source source) {
    this.single = null;
    this.several = outcomes;
    this.source = source;
  }

  /** Creates the result of a plan with one charge. */
  public PlanResult(Outcome single, Source source) {
    this.single = single;
    this.several = List.of();
    this.source = source;
  }

  /** Returns the outcome of the first charge; fails if the plan has none. */
  public Outcome first() {
    return single == null ? several.getFirst() : single;
  }

  /** Returns the outcomes in the order of the plan's charges. */
  public List<Outcome> outcomes() {
    return single == null ? several : List.of(single);
  }

  /** Returns what the decision was based on. */
  public Source source() {
    return source;
  }
}
