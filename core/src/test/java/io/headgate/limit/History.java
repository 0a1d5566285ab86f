package io.headgate.limit;

import java.util.List;

/** When it all begins, and what happens then. */
record History(long start, List<Move> moves) {

  /** The same, by a clock that never steps back. */
  History forward() {
    return new History(start, moves.stream().filter(move -> !move.stepsBack()).toList());
  }

  /** The same, each asking for one. */
  History ofOnes() {
    return new History(start, moves.stream().map(Move::withCostOne).toList());
  }
}
