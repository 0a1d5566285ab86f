package io.headgate.limit;

import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Run.Turn;
import java.util.ArrayList;
import java.util.List;

/** A counter with instances that hold permits of it and spend them locally. */
final class LeasingInstances {
  private static final long DAY = 86_400_000_000L;

  private Holdable limit;
  private final List<Instance> instances = new ArrayList<>();
  private final List<Turn> spent = new ArrayList<>();
  private State state = State.FRESH;
  private long now;
  private Outcome last = new Passed(0, 0, 0);
  private long holders;

  /** An instance with its lease: the permits left, the end, and the usage not yet reported. */
  private final class Instance {
    private final long holder = ++holders;
    private long left;
    private long until;
    private long unreported;
    private long held; // as granted last
    private long heldUntil;

    void spend(long cost) {
      if (now >= until || cost > left || cost == 0) return;
      left -= cost;
      unreported += cost;
      record(cost);
    }

    /**
     * Reports the usage and requests a hold.
     *
     * @param kept the part of the usage that is not reported and must stay held
     */
    void hold(long cost, long want, long kept, long lease, boolean replyArrives) {
      if (now >= until) left = 0;
      long reported = unreported - kept;
      var usage = new HoldRequest.Usage(reported, held, heldUntil);
      var take = new HoldRequest(holder, usage, cost, want + kept, lease);
      var taken = take.from(limit, state, now);
      state = taken.state();
      last = taken.outcome();
      boolean passed = last instanceof Passed;
      if (!replyArrives) { // the reply is lost: the lesser of the old and the new lease
        left = Math.min(left, want);
        until = Math.min(until, now + lease);
        return;
      }
      if (passed && cost > 0) record(cost);
      // The part of the hold that is not reported yet is spent.
      left = Math.max(0, taken.held() - kept);
      unreported = Math.min(kept, taken.held());
      until = now + lease;
      held = taken.held();
      heldUntil = until;
    }
  }

  LeasingInstances(Holdable limit, long start) {
    this.limit = limit;
    this.now = start;
    for (int i = 0; i < HoldAction.INSTANCES; i++) instances.add(new Instance());
  }

  static LeasingInstances after(Holdable limit, long start, List<HoldAction> actions) {
    var instances = new LeasingInstances(limit, start);
    for (var action : actions) instances.apply(action);
    return instances;
  }

  /** Changes the limit; every instance uses the new one from its next action. */
  void change(Holdable next) {
    limit = next;
    for (var instance : instances) {
      instance.left = 0;
      instance.heldUntil = 0;
    }
    spent.clear();
  }

  void apply(HoldAction action) {
    if (!action.move().stepsBack()) now = action.move().time(limit, now, last);
    var instance = instances.get(action.instance());
    long want = (long) (action.want() * limit.capacity());
    long lease = Math.clamp((long) (action.lease() * 2 * limit.window()), 1, DAY);
    switch (action.kind()) {
      case SPEND -> instance.spend(action.move().cost(limit, instance.left));
      case TAKE -> instance.hold(cost(action), want, 0, lease, true);
      case TAKE_WITH_PARTIAL_REPORT -> instance.hold(0, want, instance.unreported / 2, lease, true);
      case TAKE_AND_LOSE_REPLY -> instance.hold(cost(action), want, 0, lease, false);
      case RELEASE -> instance.hold(0, 0, 0, lease, true);
      case CRASH -> instances.set(action.instance(), new Instance());
      case CHECK -> check(cost(action));
    }
  }

  private long cost(HoldAction action) {
    return action.move().cost(limit, peek().remaining());
  }

  private Outcome peek() {
    return HeldState.step(limit, HeldState.expireHolds(limit, state, now), now, 0).outcome();
  }

  private void check(long cost) {
    var step = HeldState.step(limit, HeldState.expireHolds(limit, state, now), now, cost);
    state = step.state();
    last = step.outcome();
    if (last instanceof Passed && cost > 0) record(cost);
  }

  private void record(long cost) {
    spent.add(new Turn(state, now, cost, new Step(state, new Passed(0, 0, 0))));
  }

  /** Returns all permits spent since the last change, in order. */
  List<Turn> spent() {
    return spent;
  }

  State state() {
    return state;
  }

  long now() {
    return now;
  }
}
