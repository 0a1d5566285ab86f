package io.headgate.redis.internal.script;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.redis.internal.connection.LettuceErrors;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates plans whose counters are in several slots of a cluster, where no script reaches all of
 * them.
 *
 * <p>First reads all counters, at once. If the plan would pass, makes its charges slot by slot,
 * from the widest counter to the narrowest. The charges of a slot are made all or none. Each reply
 * replaces what was known of its limits, and the plan is weighed again: charges that it no longer
 * calls for are given back, charges that it still calls for are kept, and those still missing are
 * made next. The plan ends as allowed when exactly the charges are made that its outcomes call for,
 * and as denied, with every charge given back, when an enforced rule no longer passes.
 *
 * <p>A limit that refused stays refused for the rest of the plan, so each step either makes a
 * charge or removes one from those to be made: there are at most as many steps as charges.
 *
 * <p>No counter admits more than its limit. A counter has less to give while a charge waits to be
 * given back: for a round trip or two, requests may be denied that would have passed, at most as
 * many as there are such plans under way and in conflict. If the instance dies in between, its
 * charges stay until time returns them.
 */
final class CrossSlotPlan {
  /** Sends one command. */
  interface Asker {
    <T> CompletionStage<T> ask(ScriptCommand<T> ask);
  }

  private final Asker asker;
  private final ToIntFunction<Charge> laneOf;
  private final Duration deadline;
  private final LongSupplier nanos;
  private final LongPredicate isLate;
  private final Consumer<Charge> returned;

  CrossSlotPlan(
      Asker asker, ToIntFunction<Charge> laneOf, Duration deadline, Consumer<Charge> returned) {
    this(
        asker,
        laneOf,
        deadline,
        System::nanoTime,
        since -> System.nanoTime() - since > deadline.toNanos(),
        returned);
  }

  /**
   * @param nanos a steady clock
   * @param isLate whether the deadline of a plan that began at that time has passed
   * @param returned is notified of each charge that was given back
   */
  CrossSlotPlan(
      Asker asker,
      ToIntFunction<Charge> laneOf,
      Duration deadline,
      LongSupplier nanos,
      LongPredicate isLate,
      Consumer<Charge> returned) {
    this.nanos = nanos;
    this.isLate = isLate;
    this.asker = asker;
    this.laneOf = laneOf;
    this.deadline = deadline;
    this.returned = returned;
  }

  CompletionStage<PlanResult> run(Plan plan, boolean keep) {
    var run = new Run(plan, keep);
    run.step(run::look);
    return run;
  }

  private static Charge at(long cost, Charge charge) {
    return new Charge(charge.counter(), charge.key(), cost, charge.holder());
  }

  /** Charges of one slot, by their positions in the plan. */
  private record Group(List<Integer> positions, List<Charge> charges) {
    Group() {
      this(new ArrayList<>(), new ArrayList<>());
    }

    void add(int position, Charge charge) {
      positions.add(position);
      charges.add(charge);
    }

    int width() {
      return charges.stream().mapToInt(charge -> charge.counter().per().size()).min().orElse(0);
    }
  }

  /**
   * One plan under way. A caller that stops waiting completes it, and it then gives back its
   * charges; otherwise its steps follow each other, each on the thread that brought the replies.
   */
  private final class Run extends CompletableFuture<PlanResult> implements PendingReply {
    private final Plan plan;
    private final boolean keep;
    private final long since = nanos.getAsLong();
    private final @Nullable ChargeReceipt[] receipts; // of the charges that are made
    private boolean[] expected; // the charges that a joint plan is taken to make
    private int looks;
    private volatile List<ScriptCommand<?>> asked = List.of();

    private List<Outcome> outcomes = List.of();
    private List<Outcome> untouched = List.of(); // at no cost
    private List<Outcome> without = List.of(); // after the charges before it alone

    Run(Plan plan, boolean keep) {
      this.plan = plan;
      this.keep = keep;
      this.receipts = new ChargeReceipt[plan.charges().size()];
      this.expected = new boolean[plan.charges().size()];
      Arrays.fill(expected, true);
    }

    @Override
    public List<String> unansweredKeys() {
      return asked.stream().filter(ask -> !ask.isDone()).map(ask -> ask.charge().key()).toList();
    }

    /** A step that throws must not leave the caller waiting, nor charges behind. */
    private void step(Runnable step) {
      try {
        step.run();
      } catch (RuntimeException e) {
        fail(e);
      }
    }

    private void fail(Throwable problem) {
      giveBack(new boolean[receipts.length]);
      completeExceptionally(problem);
    }

    private void end(List<Outcome> all) {
      // A caller that has stopped waiting acts on its failure policy: the plan charges nothing.
      if (!complete(new PlanResult(all, Source.STORE))) giveBack(new boolean[receipts.length]);
    }

    /**
     * Reads what every limit says. Charges of one counter are read together, on the assumption
     * {@code expected} of which are made; where the replies contradict it they are read again, so
     * that each time one part more of the plan is right.
     */
    private void look() {
      int count = plan.charges().size();
      var would = new ArrayList<ScriptCommand.OfCharges>(count);
      var are = new ArrayList<ScriptCommand.OfCharges>(count);
      var others = new ArrayList<ScriptCommand.OfCharges>(count);
      for (int i = 0; i < count; i++) {
        var charge = plan.charges().get(i);
        var addedUp = plan.addedUp(i, before -> expected[before]);
        long before = addedUp.cost() - charge.cost();
        // Nothing is charged at no cost, but a changed limit takes over its state by it.
        are.add(new ScriptCommand.OfCharges(List.of(at(0, charge)), keep));
        would.add(new ScriptCommand.OfCharges(List.of(addedUp), false));
        others.add(
            before == 0
                ? are.getLast()
                : new ScriptCommand.OfCharges(List.of(at(before, charge)), false));
      }
      var all = new ArrayList<ScriptCommand<?>>(3 * count);
      for (int i = 0; i < count; i++) {
        all.add(are.get(i));
        all.add(would.get(i));
        if (others.get(i) != are.get(i)) all.add(others.get(i));
      }
      send(all, () -> looked(firsts(would), firsts(are), firsts(others)));
    }

    private void looked(List<Outcome> would, List<Outcome> are, List<Outcome> others) {
      outcomes = would;
      untouched = are;
      var found = plan.isJoint() ? plan.passing(outcomes) : expected;
      if (!Arrays.equals(found, expected) && ++looks <= plan.parts().size()) {
        expected = found;
        look();
        return;
      }
      without = plan.allows(outcomes) ? others : are;
      if (keep) proceed();
      else end(answer(plan.charged(outcomes)));
    }

    private static List<Outcome> firsts(List<ScriptCommand.OfCharges> asks) {
      var outcomes = new ArrayList<Outcome>(asks.size());
      for (var ask : asks) outcomes.add(ask.join().outcomes().getFirst());
      return outcomes;
    }

    /** Brings the charges made closer to those that the outcomes call for, or ends. */
    private void proceed() {
      if (!plan.allows(outcomes)) {
        giveBack(new boolean[receipts.length]);
        end(denied());
        return;
      }
      var wanted = plan.passing(outcomes);
      giveBack(wanted);
      var group = next(wanted);
      if (group == null) {
        end(answer(wanted));
      } else if (isDone()) {
        giveBack(new boolean[receipts.length]);
      } else if (isLate.test(since)) {
        fail(DeadlineSweeper.late(deadline));
      } else {
        var ask = new ScriptCommand.OfCharges(group.charges, true, reply -> tooLate(group, reply));
        send(List.of(ask), () -> noted(group, ask.join()));
      }
    }

    /** The widest of the groups that are still to be charged; null if there is none. */
    private @Nullable Group next(boolean[] wanted) {
      var bySlot = new TreeMap<Integer, Group>();
      for (int i = 0; i < wanted.length; i++) {
        var charge = plan.charges().get(i);
        if (!wanted[i] || receipts[i] != null || charge.cost() == 0) continue;
        bySlot.computeIfAbsent(laneOf.applyAsInt(charge), slot -> new Group()).add(i, charge);
      }
      Group widest = null;
      for (var group : bySlot.values()) {
        if (widest == null || group.width() < widest.width()) widest = group;
      }
      return widest;
    }

    private void noted(Group group, ScriptCommand.Outcomes reply) {
      boolean made = reply.outcomes().stream().allMatch(Passed.class::isInstance);
      for (int i = 0; i < group.charges.size(); i++) {
        int position = group.positions.get(i);
        var outcome = reply.outcomes().get(i);
        outcomes.set(position, outcome);
        if (made) receipts[position] = ChargeReceipt.of(group.charges.get(i), reply.now(), outcome);
      }
      proceed();
    }

    /** The wait for these charges ended before the reply arrived, and so did the plan. */
    private void tooLate(Group group, ScriptCommand.Outcomes reply) {
      if (!reply.outcomes().stream().allMatch(Passed.class::isInstance)) return;
      var made = new ArrayList<ChargeReceipt>(group.charges.size());
      for (int i = 0; i < group.charges.size(); i++) {
        made.add(ChargeReceipt.of(group.charges.get(i), reply.now(), reply.outcomes().get(i)));
      }
      CrossSlotPlan.this.giveBack(made);
    }

    /** Sends commands, waits for all replies, and goes on or fails with what failed. */
    private void send(List<ScriptCommand<?>> asks, Runnable next) {
      asked = asks;
      for (var ask : asks) {
        var unused = asker.ask(ask);
      }
      var unused =
          CompletableFuture.allOf(asks.toArray(CompletableFuture[]::new))
              .whenComplete((done, problem) -> {
                if (problem == null) step(next);
                else fail(failureOf(asks, problem));
              });
    }

    /** The first failure, with the keys of all commands that failed. */
    private static Throwable failureOf(List<ScriptCommand<?>> asks, Throwable problem) {
      StoreException first = null;
      var keys = new ArrayList<String>();
      for (var ask : asks) {
        if (ask.state() != State.FAILED) continue;
        if (!(LettuceErrors.rootOf(ask.exceptionNow()) instanceof StoreException failure)) continue;
        if (first == null) first = failure;
        keys.add(ask.charge().key());
      }
      return first == null ? problem : first.at(keys);
    }

    /** Charges that are not made report their state as it is without them. */
    private List<Outcome> answer(boolean[] made) {
      for (int i = 0; i < made.length; i++) {
        if (!made[i] && outcomes.get(i) instanceof Passed) outcomes.set(i, without.get(i));
      }
      return outcomes;
    }

    private List<Outcome> denied() {
      for (int i = 0; i < receipts.length; i++) {
        if (outcomes.get(i) instanceof Passed) outcomes.set(i, untouched.get(i));
      }
      return outcomes;
    }

    /**
     * Gives back every charge but those to keep. Not waited for: if it does not arrive, time
     * returns the permits.
     */
    private void giveBack(boolean[] except) {
      List<ChargeReceipt> back = null;
      for (int i = 0; i < receipts.length; i++) {
        var receipt = receipts[i];
        if (receipt == null || except[i]) continue;
        if (back == null) back = new ArrayList<>();
        back.add(receipt);
        receipts[i] = null;
      }
      if (back != null) CrossSlotPlan.this.giveBack(back);
    }
  }

  private void giveBack(List<ChargeReceipt> receipts) {
    for (var receipt : addedUp(receipts)) {
      var unused =
          asker
              .ask(new ScriptCommand.GiveBack(receipt))
              .thenAccept(done -> returned.accept(receipt.charge()));
    }
  }

  /** Charges of one counter and key that were made in one step are one entry there. */
  private static Collection<ChargeReceipt> addedUp(List<ChargeReceipt> receipts) {
    record Made(Counter counter, String key, long at) {
      @Override
      public int hashCode() {
        return Charge.hashOf(counter, key); // keyed, since callers choose keys
      }
    }
    var sums = new LinkedHashMap<Made, ChargeReceipt>();
    for (var receipt : receipts) {
      var charge = receipt.charge();
      sums.merge(
          new Made(charge.counter(), charge.key(), receipt.at()), receipt, ChargeReceipt::and);
    }
    return sums.values();
  }
}
