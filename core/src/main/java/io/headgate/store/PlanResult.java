package io.headgate.store;

import io.headgate.limit.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store's answer to a plan: what each limit said, in the order of the plan's charges. */
public final class PlanResult {
  private final @Nullable Outcome only; // most plans have one limit, and need no list
  private final List<Outcome> several;
  private final Source source;

  public PlanResult(List<Outcome> outcomes, Source source) {
    this.only = null;
    this.several = outcomes;
    this.source = source;
  }

  public PlanResult(Outcome only, Source source) {
    this.only = only;
    this.several = List.of();
    this.source = source;
  }

  public Outcome first() {
    return only == null ? several.getFirst() : only;
  }

  public List<Outcome> outcomes() {
    return only == null ? several : List.of(only);
  }

  public Source source() {
    return source;
  }
}
