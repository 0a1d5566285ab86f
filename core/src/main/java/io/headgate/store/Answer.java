package io.headgate.store;

import io.headgate.limit.Outcome;
import java.util.List;

/** A store's answer to a plan: what each limit said, in the order of the plan's charges. */
public record Answer(List<Outcome> outcomes, Evidence evidence) {}
