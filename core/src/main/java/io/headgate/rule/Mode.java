package io.headgate.rule;

/** Whether a rule has a say. */
public enum Mode {
  ENFORCE,
  /** Counts and reports what it would have done, and never denies. */
  SHADOW,
  OFF
}
