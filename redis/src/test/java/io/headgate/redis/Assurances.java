package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.store.Source;
import io.headgate.store.StoreException.Kind;
import java.util.stream.Stream;

/** What holds whatever happens to the servers. */
final class Assurances {
  private Assurances() {}

  static void hold(Course course) {
    assertThat(course.errors()).as("thrown at callers").isEmpty();
    assertThat(course.after().decisions(Source.STORE)).as("the store's, after").isPositive();
    assertThat(course.admitted(OutageRules.SCARCE))
        .as("admitted by the store of the scarce limit")
        .isPositive()
        .isLessThanOrEqualTo(course.scarceBound());
    nobodyIsChargedTwice(course);
    policiesDecide(course);
    assertThat(course.strain().failuresWhileOpen())
        .as("requests sent to the store that is known to be away; some were on their way")
        .isLessThanOrEqualTo(Callers.COUNT * course.site().zones() * course.strain().openings());
  }

  /** A charge that no caller knows of belongs to a request that failed on its way, one to each. */
  private static void nobodyIsChargedTwice(Course course) {
    assertThat(course.unheard())
        .as("charged but not told")
        .isLessThanOrEqualTo(course.strain().failures());
    if (course.trouble().memory() != Trouble.Memory.KEPT) return;
    assertThat(course.unheard()).as("charged but not told").isNotNegative();
  }

  private static void policiesDecide(Course course) {
    if (course.trouble().severity() == Trouble.Severity.NONE) {
      assertThat(course.strain().failures())
          .as("failures, all of which must be the machine's that is too busy to answer in time")
          .isEqualTo(course.strain().failures(Kind.TIMEOUT));
    }
    if (course.trouble().severity() == Trouble.Severity.OUTAGE) {
      assertThat(course.strain().openings()).as("openings of the breaker").isPositive();
      assertThat(fallbackAdmitted(course, OutageRules.ALLOW_THEN_DENY))
          .isPositive()
          .isLessThan(fallback(course, OutageRules.ALLOW_THEN_DENY));
    }
    assertThat(fallbackAdmitted(course, OutageRules.ALLOW))
        .as("admitted by policy allow")
        .isEqualTo(fallback(course, OutageRules.ALLOW));
    for (var rule : new String[] {OutageRules.DENY, OutageRules.SCARCE, OutageRules.AMPLE}) {
      assertThat(fallbackAdmitted(course, rule)).as("admitted by policy deny").isZero();
    }
    assertThat((double) fallbackAdmitted(course, OutageRules.LOCAL))
        .as("admitted by policy local")
        .isLessThanOrEqualTo(OutageRules.LOCAL_PER_SECOND * (1 + course.seconds()));
  }

  private static long fallback(Course course, String rule) {
    return phases(course).mapToLong(p -> p.decisions(rule, Source.FALLBACK)).sum();
  }

  private static long fallbackAdmitted(Course course, String rule) {
    return phases(course).mapToLong(p -> p.admitted(rule, Source.FALLBACK)).sum();
  }

  private static Stream<Phase> phases(Course course) {
    return Stream.of(course.warmUp(), course.before(), course.during(), course.after());
  }
}
