package io.headgate.limit;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.domains.DomainContextBase;

/**
 * One turn of a history in which several instances hold permits of a counter.
 *
 * @param who which of the instances
 * @param want how many permits to hold, as a part of the capacity
 * @param lease for how long, as a part of two windows
 */
record Act(int who, What what, Move move, double want, double lease) {
  static final int INSTANCES = 4;

  enum What {
    /** Spends of what it holds, and says nothing. */
    SPEND,
    /** Says what it has spent, and asks for more. */
    TAKE,
    /** Says a part of what it has spent, and asks for more. */
    TAKE_AND_TELL_A_PART,
    /** The same, but the answer does not arrive. */
    TAKE_AND_HEAR_NOTHING,
    GIVE_BACK,
    /** Is gone without a word; another one comes in its place. */
    CRASH,
    /** Somebody who holds nothing asks as ever. */
    ASK
  }

  /** The acts to play, beside the limits to play them on. */
  static class Acts extends DomainContextBase {
    @Provide
    Arbitrary<Act> acts() {
      var what =
          Arbitraries.frequency(
              Tuple.of(6, What.SPEND),
              Tuple.of(6, What.TAKE),
              Tuple.of(1, What.TAKE_AND_TELL_A_PART),
              Tuple.of(1, What.TAKE_AND_HEAR_NOTHING),
              Tuple.of(1, What.GIVE_BACK),
              Tuple.of(1, What.CRASH),
              Tuple.of(4, What.ASK));
      var part = Arbitraries.oneOf(Arbitraries.of(0.0, 1.0), Arbitraries.doubles().between(0, 1));
      return Combinators.combine(
              Arbitraries.integers().between(0, INSTANCES - 1), what, Move.arbitrary(), part, part)
          .as(Act::new)
          .withoutEdgeCases();
    }
  }
}
