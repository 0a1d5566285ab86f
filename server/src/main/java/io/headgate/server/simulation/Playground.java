package io.headgate.server.simulation;

import io.headgate.limit.Concurrency;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import io.headgate.server.simulation.LimitResult.Delays;
import io.headgate.server.simulation.LimitResult.Told;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The same traffic against several limits, each as for one caller. The clock starts at the epoch,
 * where every window begins; a slot in flight is given back by nobody, so it is held for its lease.
 */
public final class Playground {
  public static final int MOST_LIMITS = 8;
  public static final int MOST_TOLD = 500;
  private static final int MOST_STEPS = 120;

  private final long[] arrivals;
  private final long durationMillis;
  private final long stepMillis;
  private final Deadline patience;

  /**
   * @param arrivals in order, in microseconds from the start, all before its end
   */
  public Playground(long[] arrivals, long durationMillis, Deadline patience) {
    this.arrivals = arrivals;
    this.durationMillis = durationMillis;
    this.stepMillis = TimeBuckets.millis(durationMillis, MOST_STEPS);
    this.patience = patience;
  }

  public long stepMillis() {
    return stepMillis;
  }

  /** How many come in each step. */
  public long[] offered() {
    var offered = steps();
    for (long time : arrivals) offered[step(time)]++;
    return offered;
  }

  public LimitResult run(Candidate entrant) {
    return new Run(entrant).toTheEnd();
  }

  private long[] steps() {
    return new long[(int) Math.ceilDiv(durationMillis, stepMillis)];
  }

  private int step(long micros) {
    return (int) (micros / (stepMillis * 1_000));
  }

  private final class Run {
    private final Candidate entrant;
    private final long[] admitted = steps();
    private final long[] denied = steps();
    private final long[] delayed = steps();
    private final long[] queue = steps();
    private final long[] ahead = new long[arrivals.length]; // when each that may goes ahead
    private final long[] waits = new long[arrivals.length];
    private final List<Told> first = new ArrayList<>();
    private int passed;

    Run(Candidate entrant) {
      this.entrant = entrant;
    }

    LimitResult toTheEnd() {
      State state = State.FRESH;
      for (int i = 0; i < arrivals.length; i++) {
        patience.check(i);
        var step = ask(entrant.limit(), state, arrivals[i], i);
        state = step.state();
        note(arrivals[i], step.outcome());
      }
      // Who waits goes ahead in the order of coming, and yet after nobody who need not wait.
      Arrays.sort(ahead, 0, passed);
      Arrays.sort(waits, 0, passed);
      var promise = NominalLimit.of(entrant.limit());
      long most = BusiestSpan.of(ahead, passed, promise.window());
      var delays = new Delays(waited(50), waited(99), waited(100));
      long bytes = StateBytes.of(entrant.limit(), most);
      return new LimitResult(
          entrant, admitted, denied, delayed, queue, promise, most, delays, bytes, first);
    }

    private void note(long time, Outcome outcome) {
      int step = step(time);
      long delay = outcome instanceof Outcome.Passed pass ? pass.delay() : 0;
      var fate =
          !(outcome instanceof Outcome.Passed)
              ? SimulatedDecision.DENIED
              : delay > 0 ? SimulatedDecision.DELAYED : SimulatedDecision.ADMITTED;
      switch (fate) {
        case ADMITTED -> admitted[step]++;
        case DENIED -> denied[step]++;
        case DELAYED -> delayed[step]++;
      }
      queue[step] = Math.max(queue[step], millis(delay));
      if (fate != SimulatedDecision.DENIED) {
        ahead[passed] = time + delay;
        waits[passed++] = delay;
      }
      if (first.size() < MOST_TOLD) first.add(new Told(time, fate, delay));
    }

    private long waited(int percent) {
      if (passed == 0) return 0;
      int rank = (int) Math.ceilDiv((long) passed * percent, 100L);
      return millis(waits[Math.max(0, rank - 1)]);
    }
  }

  private static Step ask(Limit limit, State state, long now, long holder) {
    return limit instanceof Concurrency slots
        ? slots.step(state, now, 1, holder)
        : limit.step(state, now, 1);
  }

  private static long millis(long micros) {
    return Math.ceilDiv(micros, 1_000L);
  }
}
