package io.headgate.server.simulation;

import io.headgate.limit.FairShare;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Share;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.State;
import io.headgate.limit.Step;
import io.headgate.server.simulation.LimitResult.Delays;
import io.headgate.server.simulation.LimitResult.RequestDecision;
import io.headgate.server.simulation.LimitResult.TenantTotals;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Simulates the same traffic against several limits, each with one counter. The requests are those
 * of a single caller, or of several tenants, which may share a limit fairly. The clock starts at
 * the epoch, where every window begins. Slots of concurrency limits are not released, so they are
 * held for their lease.
 */
public final class Playground {
  public static final int MAX_LIMITS = 8;
  public static final int MAX_FIRST = 500;
  private static final int MAX_STEPS = 120;

  private final long[] arrivals;
  private final TenantArrivals traffic;
  private final long durationMillis;
  private final long stepMillis;
  private final Deadline deadline;

  /**
   * @param arrivals in ascending order, in microseconds from the start, all before the end
   */
  public Playground(long[] arrivals, long durationMillis, Deadline deadline) {
    this(TenantArrivals.ofOne(arrivals), durationMillis, deadline);
  }

  /**
   * @param traffic the arrivals, all before the end
   */
  public Playground(TenantArrivals traffic, long durationMillis, Deadline deadline) {
    this.traffic = traffic;
    this.arrivals = traffic.times();
    this.durationMillis = durationMillis;
    this.stepMillis = TimeBuckets.millis(durationMillis, MAX_STEPS);
    this.deadline = deadline;
  }

  /** Returns the length of a step of the result. */
  public long stepMillis() {
    return stepMillis;
  }

  /** Returns the number of arrivals in each step. */
  public long[] offered() {
    var offered = steps();
    for (long time : arrivals) offered[step(time)]++;
    return offered;
  }

  /**
   * Simulates one limit.
   *
   * @throws Deadline.Overdue if the deadline has passed
   */
  public LimitResult run(Candidate candidate) {
    return new Run(candidate).complete();
  }

  private long[] steps() {
    return new long[(int) Math.ceilDiv(durationMillis, stepMillis)];
  }

  private int step(long micros) {
    return (int) (micros / (stepMillis * 1_000));
  }

  private final class Run {
    private final Candidate candidate;
    private final long[] admitted = steps();
    private final long[] denied = steps();
    private final long[] delayed = steps();
    private final long[] queue = steps();
    // When each admitted request starts.
    private final long[] startTimes = new long[arrivals.length];
    private final long[] waits = new long[arrivals.length];
    private final long[] offeredTo = new long[traffic.count()];
    private final long[] admittedTo = new long[traffic.count()];
    private final List<RequestDecision> first = new ArrayList<>();
    private int passed;

    Run(Candidate candidate) {
      this.candidate = candidate;
    }

    LimitResult complete() {
      State state = State.FRESH;
      for (int i = 0; i < arrivals.length; i++) {
        deadline.check(i);
        int tenant = traffic.tenants()[i];
        var step = step(candidate.limit(), state, arrivals[i], i, tenant);
        state = step.state();
        offeredTo[tenant]++;
        if (step.outcome() instanceof Outcome.Passed) admittedTo[tenant]++;
        record(arrivals[i], step.outcome());
      }
      // Delayed requests start in order of arrival, but may start after later ones without delay.
      Arrays.sort(startTimes, 0, passed);
      Arrays.sort(waits, 0, passed);
      var nominal = NominalLimit.of(candidate.limit());
      long peak = BusiestSpan.of(startTimes, passed, nominal.window());
      var delays = new Delays(delayPercentile(50), delayPercentile(99), delayPercentile(100));
      long bytes = StateBytes.of(candidate.limit(), peak);
      return new LimitResult(
          candidate, admitted, denied, delayed, queue, nominal, peak, delays, bytes, first,
          tenants());
    }

    private List<TenantTotals> tenants() {
      if (traffic.count() == 1) return List.of();
      var tenants = new ArrayList<TenantTotals>();
      for (int i = 0; i < traffic.count(); i++) {
        tenants.add(new TenantTotals(tenantName(i), offeredTo[i], admittedTo[i]));
      }
      return tenants;
    }

    private void record(long time, Outcome outcome) {
      int step = step(time);
      long delay = outcome instanceof Outcome.Passed pass ? pass.delay() : 0;
      var decision =
          !(outcome instanceof Outcome.Passed)
              ? SimulatedDecision.DENIED
              : delay > 0 ? SimulatedDecision.DELAYED : SimulatedDecision.ADMITTED;
      switch (decision) {
        case ADMITTED -> admitted[step]++;
        case DENIED -> denied[step]++;
        case DELAYED -> delayed[step]++;
      }
      queue[step] = Math.max(queue[step], millis(delay));
      if (decision != SimulatedDecision.DENIED) {
        startTimes[passed] = time + delay;
        waits[passed++] = delay;
      }
      if (first.size() < MAX_FIRST) first.add(new RequestDecision(time, decision, delay));
    }

    private long delayPercentile(int percent) {
      if (passed == 0) return 0;
      int rank = (int) Math.ceilDiv((long) passed * percent, 100L);
      return millis(waits[Math.max(0, rank - 1)]);
    }
  }

  private static Step step(Limit limit, State state, long now, long slotId, int tenant) {
    if (limit instanceof FairShare fair) {
      String name = tenantName(tenant);
      return fair.step(state, now, 1, new Share(name, fair.sharing().weightOf(name)));
    }
    return limit instanceof SlotLimit slots
        ? slots.step(state, now, 1, slotId)
        : limit.step(state, now, 1);
  }

  private static String tenantName(int number) {
    return "tenant-" + (number + 1);
  }

  private static long millis(long micros) {
    return Math.ceilDiv(micros, 1_000L);
  }
}
