package io.headgate.redis;

/**
 * A fault of the servers.
 *
 * @param severity the effect on decisions during the fault
 * @param dataLoss the counters that are lost
 * @param inject starts the fault
 * @param repair ends the fault
 * @param afterRecovery runs when the store decides again
 */
record Fault(
    String name,
    Severity severity,
    DataLoss dataLoss,
    Action inject,
    Action repair,
    Action afterRecovery) {
  Fault(String name, Severity severity, DataLoss dataLoss, Action inject, Action repair) {
    this(name, severity, dataLoss, inject, repair, Action.NOTHING);
  }

  enum Severity {
    /** The store is unavailable until the repair. */
    OUTAGE,
    /** Some of the servers are unavailable. */
    PARTIAL,
    /** The fault may end before any request fails. */
    BRIEF,
    /** The store stays available, except for timeouts on a busy machine. */
    NONE
  }

  enum DataLoss {
    NOTHING_LOST,
    /** Writes that were not replicated when the primary failed. */
    REPLICATION_LAG,
    ALL
  }

  @FunctionalInterface
  interface Action {
    Action NOTHING = () -> {};

    void run() throws Exception;
  }
}
