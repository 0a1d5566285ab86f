package io.headgate.limit;

import io.headgate.limit.Outcome.Passed;
import java.util.ArrayList;
import java.util.List;

/** Applies a limit to one counter through a history of requests. */
final class Run {
  private final Limit limit;
  private State state = State.FRESH;
  private long now;
  private Outcome last = new Passed(0, 0, 0);
  private final List<Turn> turns = new ArrayList<>();

  /** One request with the state before it and the resulting step. */
  record Turn(State before, long now, long cost, Step step) {
    boolean passed() {
      return step.outcome() instanceof Passed;
    }

    @Override
    public String toString() {
      return "%d x%d -> %s".formatted(now, cost, step.outcome());
    }
  }

  Run(Limit limit, long start) {
    this.limit = limit;
    this.now = start;
  }

  /** Returns all requests of a history. */
  static List<Turn> of(Limit limit, History history) {
    var run = new Run(limit, history.start());
    for (var move : history.moves()) run.turn(move);
    return run.turns;
  }

  /** Returns the admitted requests of a history. */
  static List<Turn> admitted(Limit limit, History history) {
    return of(limit, history).stream().filter(turn -> turn.passed() && turn.cost() > 0).toList();
  }

  /** Returns the run after a history, with its state and time. */
  static Run after(Limit limit, History history) {
    var run = new Run(limit, history.start());
    for (var move : history.moves()) run.turn(move);
    return run;
  }

  Turn turn(Move move) {
    long time = move.time(limit, now, last);
    long left = limit.step(state, time, 0).outcome().remaining();
    return check(time, move.cost(limit, left));
  }

  Turn check(long time, long cost) {
    var turn = new Turn(state, time, cost, limit.step(state, time, cost));
    now = time;
    state = turn.step.state();
    last = turn.step.outcome();
    turns.add(turn);
    return turn;
  }

  State state() {
    return state;
  }

  long now() {
    return now;
  }

  List<Turn> turns() {
    return turns;
  }
}
