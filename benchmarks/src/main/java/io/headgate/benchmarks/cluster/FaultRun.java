package io.headgate.benchmarks.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The result of one fault.
 *
 * @param phases before, during and after the fault
 * @param seconds the time from the first check to the last
 * @param lost whether the counters were lost once
 * @param charged the charges of the ample limit; -1 if they were lost
 * @param lastedMillis the time from the beginning of the fault to its end
 * @param backMillis the time from the end of the fault to the last decision by a failure policy
 */
record FaultRun(
    String fault,
    List<FaultPhase> phases,
    Admitted admitted,
    double seconds,
    boolean lost,
    long charged,
    long lastedMillis,
    long backMillis) {
  /** The admissions of two limits. */
  record Admitted(long scarce, long ample) {}

  /** The figures of one member. */
  record Part(long lastFallback, List<FaultPhase> phases) {
    static Part decode(String line) {
      var words = line.split(" ", -1);
      var phases = new ArrayList<FaultPhase>();
      for (int i = 0; i < FaultMemberMain.PHASES; i++) {
        phases.add(FaultPhase.decode(words[1 + 3 * i], words[2 + 3 * i], words[3 + 3 * i]));
      }
      return new Part(Long.parseLong(words[0]), phases);
    }
  }

  static final String[] COLUMNS = {
    "fault",
    "before",
    "during",
    "after",
    "by policy during",
    "by policy after",
    "errors",
    "admitted ≤ bound",
    "charges lost",
    "lasted",
    "decided by owners again after"
  };

  /** Returns the most that is correct: the burst, and the rate while checks were made. */
  long bound() {
    double rate = FaultMemberMain.PER_SECOND * seconds;
    return (long) Math.ceil(rate) + FaultMemberMain.PER_SECOND * (lost ? 2 : 1);
  }

  long errors() {
    return phases.stream().mapToLong(FaultPhase::errors).sum();
  }

  /** Returns the admissions whose charge is gone. */
  long chargesLost() {
    return Math.max(0, admitted.ample - charged);
  }

  List<String> cells() {
    var during = phases.get(1);
    var after = phases.get(2);
    return List.of(
        fault,
        phases.get(0).toString(),
        during.toString(),
        after.toString(),
        "%d of %d".formatted(during.fallback(), during.checks()),
        "%d of %d".formatted(after.fallback(), after.checks()),
        Long.toString(errors()),
        "%d ≤ %d".formatted(admitted.scarce, bound()),
        lost ? "all" : Long.toString(chargesLost()),
        seconds(lastedMillis),
        seconds(backMillis));
  }

  private static String seconds(long millis) {
    return String.format(Locale.ROOT, "%.1f s", Math.max(0, millis) / 1e3);
  }
}
