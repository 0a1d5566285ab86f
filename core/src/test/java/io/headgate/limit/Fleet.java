package io.headgate.limit;

import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Run.Turn;
import java.util.ArrayList;
import java.util.List;

/** A counter, and instances that hold permits of it and spend them where nobody sees it. */
final class Fleet {
  private static final long DAY = 86_400_000_000L;

  private Holdable limit;
  private final List<Instance> instances = new ArrayList<>();
  private final List<Turn> spent = new ArrayList<>();
  private State state = State.FRESH;
  private long now;
  private Outcome last = new Passed(0, 0, 0);
  private long holders;

  /** What an instance knows: what it may still spend and until when, and what it has to tell. */
  private final class Instance {
    private final long holder = ++holders;
    private long left;
    private long until;
    private long untold;
    private long held; // as it was last told
    private long heldUntil;

    void spend(long cost) {
      if (now >= until || cost > left || cost == 0) return;
      left -= cost;
      untold += cost;
      note(cost);
    }

    /**
     * @param kept how much of what it has to tell it keeps to itself: so much must stay held
     */
    void take(long cost, long want, long kept, long lease, boolean hears) {
      if (now >= until) left = 0;
      long told = untold - kept;
      var usage = new HoldRequest.Usage(told, held, heldUntil);
      var take = new HoldRequest(holder, usage, cost, want + kept, lease);
      var taken = take.from(limit, state, now);
      state = taken.state();
      last = taken.outcome();
      boolean passed = last instanceof Passed;
      if (!hears) { // of the old and the new, whichever is less
        left = Math.min(left, want);
        until = Math.min(until, now + lease);
        return;
      }
      if (passed && cost > 0) note(cost);
      // Of what is held, that which it has not told of yet is spent.
      left = Math.max(0, taken.held() - kept);
      untold = Math.min(kept, taken.held());
      until = now + lease;
      held = taken.held();
      heldUntil = until;
    }
  }

  Fleet(Holdable limit, long start) {
    this.limit = limit;
    this.now = start;
    for (int i = 0; i < Act.INSTANCES; i++) instances.add(new Instance());
  }

  static Fleet after(Holdable limit, long start, List<Act> acts) {
    var fleet = new Fleet(limit, start);
    for (var act : acts) fleet.play(act);
    return fleet;
  }

  /** The limit is changed, and every instance sees that with the next thing it does. */
  void change(Holdable next) {
    limit = next;
    for (var instance : instances) {
      instance.left = 0;
      instance.heldUntil = 0;
    }
    spent.clear();
  }

  void play(Act act) {
    if (!act.move().stepsBack()) now = act.move().time(limit, now, last);
    var instance = instances.get(act.who());
    long want = (long) (act.want() * limit.capacity());
    long lease = Math.clamp((long) (act.lease() * 2 * limit.window()), 1, DAY);
    switch (act.what()) {
      case SPEND -> instance.spend(act.move().cost(limit, instance.left));
      case TAKE -> instance.take(cost(act), want, 0, lease, true);
      case TAKE_AND_TELL_A_PART -> instance.take(0, want, instance.untold / 2, lease, true);
      case TAKE_AND_HEAR_NOTHING -> instance.take(cost(act), want, 0, lease, false);
      case GIVE_BACK -> instance.take(0, 0, 0, lease, true);
      case CRASH -> instances.set(act.who(), new Instance());
      case ASK -> ask(cost(act));
    }
  }

  private long cost(Act act) {
    return act.move().cost(limit, look().remaining());
  }

  private Outcome look() {
    return HeldState.step(limit, HeldState.settled(limit, state, now), now, 0).outcome();
  }

  private void ask(long cost) {
    var step = HeldState.step(limit, HeldState.settled(limit, state, now), now, cost);
    state = step.state();
    last = step.outcome();
    if (last instanceof Passed && cost > 0) note(cost);
  }

  private void note(long cost) {
    spent.add(new Turn(state, now, cost, new Step(state, new Passed(0, 0, 0))));
  }

  /** Everything that went ahead since the last change, when it did, in that order. */
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
