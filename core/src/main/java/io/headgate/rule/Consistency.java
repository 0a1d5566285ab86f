package io.headgate.rule;

/**
 * How closely instances agree. In one JVM's memory there is nobody to agree with, and each of these
 * is exact.
 */
public enum Consistency {
  /** Each check is decided on the shared state. */
  STRICT,
  /** Permits are held in advance and spent here: never too many in all, at times too few. */
  LEASED,
  /** Counted here and reported: for a moment too many, which is repaid. */
  EVENTUAL,
  /** Strict, and leased for those counters that are asked about often. */
  AUTO
}
