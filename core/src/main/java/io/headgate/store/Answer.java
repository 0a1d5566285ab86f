package io.headgate.store;

import io.headgate.limit.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store's answer to a plan: what each limit said, in the order of the plan's charges. */
public final class Answer {
  private final @Nullable Outcome only; // most plans have one limit, and need no list
  private final List<Outcome> several;
  private final Evidence evidence;

  public Answer(List<Outcome> outcomes, Evidence evidence) {
    this.only = null;
    this.several = outcomes;
    this.evidence = evidence;
  }

  public Answer(Outcome only, Evidence evidence) {
    this.only = only;
    this.several = List.of();
    this.evidence = evidence;
  }

  public Outcome first() {
    return only == null ? several.getFirst() : only;
  }

  public List<Outcome> outcomes() {
    return only == null ? several : List.of(only);
  }

  public Evidence evidence() {
    return evidence;
  }
}
