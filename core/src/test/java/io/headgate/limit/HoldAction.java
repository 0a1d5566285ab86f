package io.headgate.limit;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.domains.DomainContextBase;

/**
 * One action in a history in which several instances hold permits of a counter.
 *
 * @param instance the index of the instance
 * @param want the permits to hold, as a fraction of the capacity
 * @param lease the length of the lease, as a fraction of two windows
 */
record HoldAction(int instance, Kind kind, Move move, double want, double lease) {
  static final int INSTANCES = 4;

  enum Kind {
    /** Spends permits of the hold. */
    SPEND,
    /** Reports the usage and requests a hold. */
    TAKE,
    /** Reports a part of the usage and requests a hold. */
    TAKE_WITH_PARTIAL_REPORT,
    /** Reports the usage and requests a hold, but the reply is lost. */
    TAKE_AND_LOSE_REPLY,
    RELEASE,
    /** Stops without a report and is replaced by another instance. */
    CRASH,
    /** A check by an instance that has no hold. */
    CHECK
  }

  /** Provides arbitrary actions. */
  static class Actions extends DomainContextBase {
    @Provide
    Arbitrary<HoldAction> actions() {
      var kind =
          Arbitraries.frequency(
              Tuple.of(6, Kind.SPEND),
              Tuple.of(6, Kind.TAKE),
              Tuple.of(1, Kind.TAKE_WITH_PARTIAL_REPORT),
              Tuple.of(1, Kind.TAKE_AND_LOSE_REPLY),
              Tuple.of(1, Kind.RELEASE),
              Tuple.of(1, Kind.CRASH),
              Tuple.of(4, Kind.CHECK));
      var part = Arbitraries.oneOf(Arbitraries.of(0.0, 1.0), Arbitraries.doubles().between(0, 1));
      return Combinators.combine(
              Arbitraries.integers().between(0, INSTANCES - 1), kind, Move.arbitrary(), part, part)
          .as(HoldAction::new)
          .withoutEdgeCases();
    }
  }
}
