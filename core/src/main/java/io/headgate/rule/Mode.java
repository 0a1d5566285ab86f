package io.headgate.rule;

/** Whether a rule is enforced. */
public enum Mode {
  /** Counts and denies. */
  ENFORCE,
  /** Counts and reports the decision it would have made, but never denies. */
  SHADOW,
  /** Is ignored. */
  OFF
}
