package io.headgate.internal.script;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Share;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.PlanResult;
import io.headgate.store.ReservedPlan;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates plans whose counters are in several hash slots of a cluster, which no single script can
 * access.
 *
 * <p>The protocol first peeks at all counters in parallel. If the plan would pass, it makes the
 * charges slot by slot, from the widest counter to the narrowest. The charges of one slot are made
 * atomically. Each reply replaces the outcomes of its limits, and the plan is evaluated again:
 * charges that it no longer requires are given back, and missing charges are made next. The plan is
 * allowed when exactly the charges are made that its outcomes require. It is denied, and every
 * charge is given back, when an enforced rule no longer passes.
 *
 * <p>A limit that refused stays refused for the rest of the plan, so each step either makes a
 * charge or removes one from those to be made. There are at most as many steps as charges.
 *
 * <p>No counter admits more than its limit. A counter has fewer permits available while a charge
 * waits to be given back: for one or two round trips, requests may be denied that would have
 * passed, at most as many as there are conflicting plans in progress. If the instance dies in
 * between, its charges remain until they expire.
 */
final class CrossSlotPlan {
  /** Executes one command. */
  interface CommandExecutor {
    <T> CompletionStage<T> submit(ScriptCommand<T> command);
  }

  private final CommandExecutor executor;
  private final ToIntFunction<Charge> hashSlot;
  private final CommandDeadline deadline;
  private final Consumer<CompletableFuture<?>> callDeadlines;
  private final Consumer<Charge> onReturned;

  /**
   * Creates an evaluator.
   *
   * @param deadline after which a plan makes no more charges
   * @param callDeadlines fails a plan at the deadline of the call that submits it
   * @param onReturned is called with each charge that was given back
   */
  CrossSlotPlan(
      CommandExecutor executor,
      ToIntFunction<Charge> hashSlot,
      CommandDeadline deadline,
      Consumer<CompletableFuture<?>> callDeadlines,
      Consumer<Charge> onReturned) {
    this.executor = executor;
    this.hashSlot = hashSlot;
    this.deadline = deadline;
    this.callDeadlines = callDeadlines;
    this.onReturned = onReturned;
  }

  CompletionStage<PlanResult> run(Plan plan, boolean commit) {
    var run = new Run(plan, commit);
    run.runStep(run::peek);
    callDeadlines.accept(run);
    return run;
  }

  /** Makes the charges of a reservation, and returns when they were made. */
  CompletionStage<ReservedPlan> reserve(Plan plan) {
    var run = new Run(plan, true);
    run.runStep(run::peek);
    callDeadlines.accept(run);
    return run.thenApply(result -> new ReservedPlan(result, run.made()));
  }

  private static Charge at(long cost, Charge charge) {
    return charge.withCost(cost);
  }

  /** Returns the charges without the cost of {@code last}, which is part of the last of them. */
  private static List<Charge> withoutLast(List<Charge> charges, Charge last) {
    var others = new ArrayList<>(charges);
    var end = others.removeLast();
    others.add(at(end.cost() - last.cost(), end));
    return others;
  }

  /** Charges of one hash slot, with their positions in the plan. */
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
   * One plan in progress. Its steps run one after the other, each on the thread that delivered the
   * replies. A caller that stops waiting completes this future; the charges are then given back.
   */
  private final class Run extends CompletableFuture<PlanResult> implements PendingReply {
    private final Plan plan;
    private final boolean commit;
    private final long since = deadline.now();
    private final @Nullable ChargeReceipt[] receipts; // of the charges made so far
    private boolean[] expected; // the charges that a joint plan is assumed to make
    private int peeks;
    private volatile List<ScriptCommand<?>> sent = List.of();

    private List<Outcome> outcomes = List.of();
    private List<Outcome> uncharged = List.of(); // at cost 0
    private List<Outcome> notCharged = List.of(); // with the earlier charges of its counter only

    Run(Plan plan, boolean commit) {
      this.plan = plan;
      this.commit = commit;
      this.receipts = new ChargeReceipt[plan.charges().size()];
      this.expected = new boolean[plan.charges().size()];
      Arrays.fill(expected, true);
    }

    @Override
    public List<String> pendingKeys() {
      return sent.stream()
          .filter(command -> !command.isDone())
          .map(command -> command.charge().key())
          .toList();
    }

    /** Returns when each charge was made; null for those that were not. */
    private List<ReservedPlan.@Nullable Receipt> made() {
      var made = new ArrayList<ReservedPlan.@Nullable Receipt>(receipts.length);
      for (var receipt : receipts) {
        made.add(
            receipt == null ? null : new ReservedPlan.Receipt(receipt.at(), receipt.freshAt()));
      }
      return made;
    }

    /** A step that throws must not leave the caller waiting, nor charges behind. */
    private void runStep(Runnable runStep) {
      try {
        runStep.run();
      } catch (RuntimeException e) {
        fail(e);
      }
    }

    private void fail(Throwable problem) {
      giveBack(new boolean[receipts.length]);
      completeExceptionally(problem);
    }

    /** Whoever decides without the store counts the request: no charge of this plan stays. */
    @Override
    public boolean completeExceptionally(Throwable problem) {
      return super.completeExceptionally(Failures.givenBack(problem));
    }

    private void end(List<Outcome> all) {
      // A caller that has stopped waiting acts on its failure policy: the plan charges nothing.
      if (!complete(new PlanResult(all, Source.STORE))) giveBack(new boolean[receipts.length]);
    }

    /**
     * Peeks at all limits. Charges of one counter are added up on the assumption that those in
     * {@code expected} are made. If the replies contradict it, the plan is peeked again; each time,
     * at least one more part of the assumption is correct.
     */
    private void peek() {
      int count = plan.charges().size();
      var withCost = new ArrayList<ScriptCommand.ChargesCommand>(count);
      var withoutCost = new ArrayList<ScriptCommand.ChargesCommand>(count);
      var afterEarlier = new ArrayList<ScriptCommand.ChargesCommand>(count);
      for (int i = 0; i < count; i++) {
        var charge = plan.charges().get(i);
        var sequence = plan.chargesUpTo(i, before -> expected[before]);
        var earlier = withoutLast(sequence, charge);
        // Cost 0 charges nothing, but converts the state of a changed limit.
        withoutCost.add(new ScriptCommand.ChargesCommand(List.of(at(0, charge)), commit));
        withCost.add(new ScriptCommand.ChargesCommand(sequence, false));
        afterEarlier.add(
            earlier.size() == 1 && earlier.getFirst().cost() == 0
                ? withoutCost.getLast()
                : new ScriptCommand.ChargesCommand(earlier, false));
      }
      var all = new ArrayList<ScriptCommand<?>>(3 * count);
      for (int i = 0; i < count; i++) {
        all.add(withoutCost.get(i));
        all.add(withCost.get(i));
        if (afterEarlier.get(i) != withoutCost.get(i)) all.add(afterEarlier.get(i));
      }
      send(all, () -> onPeeked(lasts(withCost), lasts(withoutCost), lasts(afterEarlier)));
    }

    private void onPeeked(
        List<Outcome> withCost, List<Outcome> withoutCost, List<Outcome> afterEarlier) {
      outcomes = withCost;
      uncharged = withoutCost;
      var passing = plan.isJoint() ? plan.passing(outcomes) : expected;
      if (!Arrays.equals(passing, expected) && ++peeks <= plan.parts().size()) {
        expected = passing;
        peek();
        return;
      }
      notCharged = plan.allows(outcomes) ? afterEarlier : withoutCost;
      if (commit) proceed();
      else end(answer(plan.charged(outcomes)));
    }

    private static List<Outcome> lasts(List<ScriptCommand.ChargesCommand> commands) {
      var outcomes = new ArrayList<Outcome>(commands.size());
      for (var command : commands) outcomes.add(command.join().outcomes().getLast());
      return outcomes;
    }

    /** Makes or gives back charges until they match the outcomes, then completes the plan. */
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
      } else if (deadline.isLate(since)) {
        fail(deadline.timeout());
      } else {
        var command =
            new ScriptCommand.ChargesCommand(
                group.charges, true, reply -> onLateReply(group, reply));
        send(List.of(command), () -> onCharged(group, command.join()));
      }
    }

    /** Returns the widest group that is still to be charged; null if there is none. */
    private @Nullable Group next(boolean[] wanted) {
      var bySlot = new TreeMap<Integer, Group>();
      for (int i = 0; i < wanted.length; i++) {
        var charge = plan.charges().get(i);
        if (!wanted[i] || receipts[i] != null || charge.cost() == 0) continue;
        bySlot.computeIfAbsent(hashSlot.applyAsInt(charge), slot -> new Group()).add(i, charge);
      }
      Group widest = null;
      for (var group : bySlot.values()) {
        if (widest == null || group.width() < widest.width()) widest = group;
      }
      return widest;
    }

    private void onCharged(Group group, ScriptCommand.Outcomes reply) {
      boolean made = reply.outcomes().stream().allMatch(Passed.class::isInstance);
      for (int i = 0; i < group.charges.size(); i++) {
        int position = group.positions.get(i);
        var outcome = reply.outcomes().get(i);
        outcomes.set(position, outcome);
        if (made) receipts[position] = reply.receipt(i, group.charges.get(i));
      }
      proceed();
    }

    /** Gives back charges whose reply arrived after the wait for it, and the plan, had ended. */
    private void onLateReply(Group group, ScriptCommand.Outcomes reply) {
      if (!reply.outcomes().stream().allMatch(Passed.class::isInstance)) return;
      var made = new ArrayList<ChargeReceipt>(group.charges.size());
      for (int i = 0; i < group.charges.size(); i++) {
        made.add(reply.receipt(i, group.charges.get(i)));
      }
      CrossSlotPlan.this.giveBack(made);
    }

    /** Executes commands in parallel, then runs the next step, or fails with the first failure. */
    private void send(List<ScriptCommand<?>> commands, Runnable next) {
      sent = commands;
      for (var command : commands) {
        var unused = executor.submit(command);
      }
      var unused =
          CompletableFuture.allOf(commands.toArray(CompletableFuture[]::new))
              .whenComplete((done, problem) -> {
                if (problem == null) runStep(next);
                else fail(failureOf(commands, problem));
              });
    }

    /** Returns the first failure, with the keys of all commands that failed. */
    private static Throwable failureOf(List<ScriptCommand<?>> commands, Throwable problem) {
      StoreException first = null;
      var keys = new ArrayList<String>();
      for (var command : commands) {
        if (command.state() != State.FAILED) continue;
        if (!(Failures.rootOf(command.exceptionNow()) instanceof StoreException failure)) continue;
        if (first == null) first = failure;
        keys.add(command.charge().key());
      }
      return first == null ? problem : first.at(keys);
    }

    /** Replaces the outcomes of charges that are not made by the state without them. */
    private List<Outcome> answer(boolean[] made) {
      for (int i = 0; i < made.length; i++) {
        if (!made[i] && outcomes.get(i) instanceof Passed) outcomes.set(i, notCharged.get(i));
      }
      return outcomes;
    }

    private List<Outcome> denied() {
      for (int i = 0; i < receipts.length; i++) {
        if (outcomes.get(i) instanceof Passed) outcomes.set(i, uncharged.get(i));
      }
      return outcomes;
    }

    /**
     * Gives back every charge except those in {@code except}. The replies are not awaited: if a
     * command is lost, the charge expires.
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
          executor
              .submit(new ScriptCommand.GiveBack(receipt))
              .thenAccept(done -> onReturned.accept(receipt.charge()));
    }
  }

  /** Adds up charges of one counter made at one time, which are one entry in the state. */
  private static Collection<ChargeReceipt> addedUp(List<ChargeReceipt> receipts) {
    record Made(Counter counter, String key, @Nullable Share share, long at) {
      @Override
      public int hashCode() {
        return Charge.hashOf(counter, key); // keyed, since callers choose keys
      }
    }
    var sums = new LinkedHashMap<Made, ChargeReceipt>();
    for (var receipt : receipts) {
      var charge = receipt.charge();
      sums.merge(
          new Made(charge.counter(), charge.key(), charge.share(), receipt.at()),
          receipt,
          ChargeReceipt::and);
    }
    return sums.values();
  }
}
