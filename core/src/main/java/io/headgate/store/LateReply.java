package io.headgate.store;

import io.headgate.limit.Outcome;
import io.headgate.rule.Charge;
import java.util.List;

/**
 * The reply to a plan whose caller had stopped waiting for it. Whoever decided the plan meanwhile
 * compares the charges that the store has made with its own decision.
 */
public interface LateReply {
  /** Returns the charges that the store evaluated; not those that were decided elsewhere. */
  List<Charge> charges();

  /** Returns the outcomes, in the order of {@link #charges}. */
  List<Outcome> outcomes();

  /** Returns whether the store has made a charge. */
  boolean isCharged(int index);

  /** Gives back a charge that the store has made, in the background. Called once for each. */
  void giveBack(int index);
}
