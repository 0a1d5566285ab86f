package io.headgate.redis;

import io.headgate.store.Source;
import java.util.List;
import java.util.stream.Stream;

/**
 * The result of an outage test.
 *
 * @param warmUp the phase before measurements
 * @param before the phase before the fault
 * @param during the phase from the injection of the fault to its repair
 * @param after the phase after the repair
 * @param errors the exceptions thrown to callers
 * @param seconds the length of all phases
 * @param recoveryMillis the time from the repair to the last decision without the store
 * @param charged the use of the ample limit according to the servers
 */
record OutageResult(
    RedisDeployment deployment,
    Fault fault,
    Phase warmUp,
    Phase before,
    Phase during,
    Phase after,
    List<Throwable> errors,
    OutageCounters counters,
    double seconds,
    long faultMillis,
    long recoveryMillis,
    long charged) {

  long admitted(String rule) {
    return Stream.of(warmUp, before, during, after)
        .mapToLong(phase -> phase.admitted(rule, Source.STORE))
        .sum();
  }

  /** Returns how much of the scarce limit the store may admit in all phases. */
  long scarceBound() {
    int refills = fault.dataLoss() == Fault.DataLoss.NOTHING_LOST ? 1 : 2;
    return (long)
        Math.ceil(
            OutageRules.SCARCE_PER_SECOND * seconds + refills * OutageRules.SCARCE_PER_SECOND);
  }

  /** Returns the charges without a decision by the store; negative if charges were lost. */
  long unconfirmedCharges() {
    return charged - admitted(OutageRules.AMPLE);
  }
}
