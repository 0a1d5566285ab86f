package io.headgate.limit;

import java.util.List;

/** A random sequence of requests from a start time. */
record History(long start, List<Move> moves) {

  /** Returns the history without the requests at which the clock steps back. */
  History forward() {
    return new History(start, moves.stream().filter(move -> !move.stepsBack()).toList());
  }

  /** Returns the history with a cost of 1 for each request. */
  History ofOnes() {
    return new History(start, moves.stream().map(Move::withCostOne).toList());
  }
}
