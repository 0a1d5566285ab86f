package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.store.Source;
import io.headgate.store.StoreException.Kind;
import java.util.stream.Stream;

/** Assertions that hold for every fault. */
final class OutageAssertions {
  private OutageAssertions() {}

  static void assertAll(OutageResult result) {
    assertThat(result.errors()).as("exceptions thrown to callers").isEmpty();
    assertThat(result.after().decisions(Source.STORE))
        .as("decisions by the store after the fault")
        .isPositive();
    assertThat(result.admitted(OutageRules.SCARCE))
        .as("admitted by the store of the scarce limit")
        .isPositive()
        .isLessThanOrEqualTo(result.scarceBound());
    assertNoDoubleCharges(result);
    assertPoliciesDecide(result);
    assertThat(result.counters().failuresWhileOpen())
        .as("failures while the circuit breaker is open, of requests that were in flight")
        .isLessThanOrEqualTo(
            Callers.COUNT * result.deployment().failureDomains() * result.counters().openings());
  }

  /** Each charge without a decision by the store belongs to one failed request. */
  private static void assertNoDoubleCharges(OutageResult result) {
    assertThat(result.unconfirmedCharges())
        .as("charged without a decision by the store")
        .isLessThanOrEqualTo(result.counters().failures());
    if (result.fault().dataLoss() != Fault.DataLoss.NOTHING_LOST) return;
    assertThat(result.unconfirmedCharges())
        .as("charged without a decision by the store")
        .isNotNegative();
  }

  private static void assertPoliciesDecide(OutageResult result) {
    if (result.fault().severity() == Fault.Severity.NONE) {
      assertThat(result.counters().failures())
          .as("failures, which may only be timeouts of a busy machine")
          .isEqualTo(result.counters().failures(Kind.TIMEOUT));
    }
    if (result.fault().severity() == Fault.Severity.OUTAGE) {
      assertThat(result.counters().openings()).as("openings of the circuit breaker").isPositive();
      assertThat(fallbackAdmitted(result, OutageRules.ALLOW_THEN_DENY))
          .isPositive()
          .isLessThan(fallback(result, OutageRules.ALLOW_THEN_DENY));
    }
    assertThat(fallbackAdmitted(result, OutageRules.ALLOW))
        .as("admitted by policy allow")
        .isEqualTo(fallback(result, OutageRules.ALLOW));
    for (var rule : new String[] {OutageRules.DENY, OutageRules.SCARCE, OutageRules.AMPLE}) {
      assertThat(fallbackAdmitted(result, rule)).as("admitted by policy deny").isZero();
    }
    assertThat((double) fallbackAdmitted(result, OutageRules.LOCAL))
        .as("admitted by policy local")
        .isLessThanOrEqualTo(OutageRules.LOCAL_PER_SECOND * (1 + result.seconds()));
  }

  private static long fallback(OutageResult result, String rule) {
    return phases(result).mapToLong(p -> p.decisions(rule, Source.FALLBACK)).sum();
  }

  private static long fallbackAdmitted(OutageResult result, String rule) {
    return phases(result).mapToLong(p -> p.admitted(rule, Source.FALLBACK)).sum();
  }

  private static Stream<Phase> phases(OutageResult result) {
    return Stream.of(result.warmUp(), result.before(), result.during(), result.after());
  }
}
