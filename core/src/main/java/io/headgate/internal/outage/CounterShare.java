package io.headgate.internal.outage;

import io.headgate.limit.Share;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import org.jspecify.annotations.Nullable;

/** Identifies the state of a counter for one subject, and its tenant if the limit is shared. */
record CounterShare(Counter counter, String key, @Nullable Share share) {
  static CounterShare of(Charge charge) {
    return new CounterShare(charge.counter(), charge.key(), charge.share());
  }

  /** Uses a keyed hash: callers choose keys, and a map searches colliding records linearly. */
  @Override
  public int hashCode() {
    return Charge.hashOf(counter, key);
  }
}
