package io.headgate.redis;

import io.headgate.store.Source;
import java.util.List;
import java.util.stream.Stream;

/**
 * How it went.
 *
 * @param warmUp before anything was looked at
 * @param during from the moment that the trouble strikes until it ends
 * @param after from then on
 * @param errors what callers had thrown at them
 * @param seconds all that time
 * @param backMillis from the trouble's end until the last decision without the store
 * @param charged how much of the ample limit the servers say is used
 */
record Course(
    Site site,
    Trouble trouble,
    Phase warmUp,
    Phase before,
    Phase during,
    Phase after,
    List<Throwable> errors,
    Strain strain,
    double seconds,
    long troubleMillis,
    long backMillis,
    long charged) {

  long admitted(String rule) {
    return Stream.of(warmUp, before, during, after)
        .mapToLong(phase -> phase.admitted(rule, Source.STORE))
        .sum();
  }

  /** What the store may admit of the scarce limit in all that time. */
  long scarceBound() {
    int lives = trouble.memory() == Trouble.Memory.KEPT ? 1 : 2;
    return (long)
        Math.ceil(OutageRules.SCARCE_PER_SECOND * seconds + lives * OutageRules.SCARCE_PER_SECOND);
  }

  /** Charges of requests whose callers were told something else; below zero: charges forgotten. */
  long unheard() {
    return charged - admitted(OutageRules.AMPLE);
  }
}
