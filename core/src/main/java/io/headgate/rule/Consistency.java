package io.headgate.rule;

/**
 * The consistency mode of a rule: how closely instances share its counters. With the memory store
 * of a single JVM, every mode is exact.
 */
public enum Consistency {
  /** Each check is decided by the shared store. */
  STRICT,
  /**
   * Each instance leases permits and spends them locally. Never over-admits; may deny while another
   * instance still holds permits.
   */
  LEASED,
  /**
   * Each instance counts in a local copy and reports to the store. Over-admits for a short time;
   * the excess is charged and repaid.
   */
  EVENTUAL,
  /** Strict, but leased for counters that are checked often. */
  AUTO
}
