package io.headgate.internal.script;

import io.headgate.internal.consistency.HoldingStore.HoldResult;
import io.headgate.internal.consistency.HoldingStore.ReportResult;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.SlotLimit;
import io.headgate.load.CompletedCall;
import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationReply;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.store.LateReply;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A command to the script and the future of its reply. */
abstract sealed class ScriptCommand<T> extends CompletableFuture<T> implements PendingReply {
  /** The late reply to a command that is not sent. */
  private static final LateReply NOT_EXECUTED =
      new LateReply() {
        @Override
        public List<Charge> charges() {
          return List.of();
        }

        @Override
        public List<Outcome> outcomes() {
          return List.of();
        }

        @Override
        public boolean isCharged(int index) {
          return false;
        }

        @Override
        public void giveBack(int index) {}
      };

  /** The time of submission, by the clock of its {@link Batcher}; written before it is queued. */
  long since;

  /** Appends this command to a batch. */
  abstract void writeTo(Batch batch);

  /**
   * Reads the part of a batch's reply that belongs to this command. The commands of a batch are
   * read in their order.
   */
  abstract T read(ReplyReader reply);

  /** Returns one of its charges; all of them are in the same hash slot. */
  abstract Charge charge();

  /**
   * Returns how many sorted-set members its charges of more than one slot may add; see {@link
   * Batcher}.
   */
  long extraWork() {
    return 0;
  }

  /** Returns how many commands of the script it appends to a batch. */
  int size() {
    return 1;
  }

  private static long extraWork(Charge charge) {
    return charge.limit() instanceof SlotLimit slots && charge.cost() > 1
        ? Math.min(charge.cost(), slots.maxCost())
        : 0;
  }

  private static long extraWork(List<Charge> charges) {
    long work = 0;
    for (var charge : charges) work += extraWork(charge);
    return work;
  }

  /** The reply for whoever decided without it; guarded by this. */
  private @Nullable CompletableFuture<LateReply> late;

  final void deliver(ReplyReader reply) {
    var value = read(reply);
    if (!complete(value)) onLateReply(value);
  }

  /** Fails this command: its reply will not arrive. */
  final void fail(StoreException problem) {
    if (!completeExceptionally(problem) && isDecision()) late().completeExceptionally(problem);
  }

  /** Ends the wait for a late reply: this command's wait ended before it was sent. */
  final void dropped() {
    if (isDecision()) late().complete(NOT_EXECUTED);
  }

  /** Receives a reply that arrived after the wait for it had ended. */
  void onLateReply(T value) {
    if (isDecision()) late().complete(lateReply(value));
  }

  /** Returns whether a late reply is delivered by {@link StoreException#lateReply}. */
  boolean isDecision() {
    return false;
  }

  /** Returns the reply to a {@linkplain #isDecision decision}. */
  LateReply lateReply(T value) {
    throw new UnsupportedOperationException("not a decision");
  }

  private synchronized CompletableFuture<LateReply> late() {
    if (late == null) late = new CompletableFuture<>();
    return late;
  }

  /**
   * The outcomes of a plan, with what gives back its charges.
   *
   * @param charged which of the charges the store has made
   * @param freshAt for each charge, the time at which its counter would be fresh without later
   *     charges and without holds
   * @param now the server time, in microseconds
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record LateOutcomes(
      List<Charge> charges,
      List<Outcome> outcomes,
      boolean[] charged,
      long[] freshAt,
      long now,
      Consumer<ChargeReceipt> giveBack)
      implements LateReply {
    @Override
    public boolean isCharged(int index) {
      return charged[index];
    }

    @Override
    public void giveBack(int index) {
      giveBack.accept(new ChargeReceipt(charges.get(index), now, freshAt[index]));
    }
  }

  @Override
  public List<String> pendingKeys() {
    return List.of(charge().key());
  }

  /**
   * Adds the counter key to the failure, since a plan may depend on several servers, and the late
   * reply of a decision.
   */
  @Override
  public boolean completeExceptionally(Throwable problem) {
    return super.completeExceptionally(
        problem instanceof StoreException failure ? detailed(failure) : problem);
  }

  private StoreException detailed(StoreException failure) {
    var named = failure.at(pendingKeys());
    return isDecision() && !named.isUncharged() ? named.withLateReply(late()) : named;
  }

  /**
   * Returns whether no caller waits for it. A background command has no deadline and fails only
   * when its connection does.
   */
  boolean isBackground() {
    return false;
  }

  /** Evaluates a plan; {@code commit} makes its charges. */
  static final class PlanCommand extends ScriptCommand<PlanResult> {
    final Plan plan;
    final boolean commit;
    private final Consumer<ChargeReceipt> giveBack;
    private long[] freshAt = {}; // this and the next are those of the reply
    private long now;

    /**
     * Creates a command.
     *
     * @param giveBack gives back a charge that was made after the wait for the reply had ended
     */
    PlanCommand(Plan plan, boolean commit, Consumer<ChargeReceipt> giveBack) {
      this.plan = plan;
      this.commit = commit;
      this.giveBack = giveBack;
    }

    @Override
    boolean isDecision() {
      return commit;
    }

    @Override
    LateReply lateReply(PlanResult result) {
      var outcomes = result.outcomes();
      return new LateOutcomes(
          plan.charges(), outcomes, plan.charged(outcomes), freshAt, now, giveBack);
    }

    @Override
    void writeTo(Batch batch) {
      batch.write(plan, commit);
    }

    @Override
    PlanResult read(ReplyReader reply) {
      var charges = plan.charges();
      now = reply.now();
      freshAt = new long[charges.size()];
      if (charges.size() == 1) {
        var outcome = reply.outcome(charges.getFirst());
        freshAt[0] = reply.freshAt();
        return new PlanResult(outcome, Source.STORE);
      }
      List<Outcome> outcomes = new ArrayList<>(charges.size());
      for (int i = 0; i < freshAt.length; i++) {
        outcomes.add(reply.outcome(charges.get(i)));
        freshAt[i] = reply.freshAt();
      }
      return new PlanResult(outcomes, Source.STORE);
    }

    @Override
    Charge charge() {
      return plan.charges().getFirst();
    }

    @Override
    long extraWork() {
      var single = plan.single();
      return single == null
          ? ScriptCommand.extraWork(plan.charges())
          : ScriptCommand.extraWork(single);
    }
  }

  /**
   * The result of a plan that is reserved.
   *
   * @param freshAt for each charge, the time at which its counter would be fresh without later
   *     charges and without holds
   * @param now the server time, in microseconds
   */
  record ReservedResult(PlanResult result, List<Long> freshAt, long now) {}

  /** Evaluates the plan of a reservation and makes its charges. */
  static final class ReserveCommand extends ScriptCommand<ReservedResult> {
    private final PlanCommand plan;
    private final Consumer<ReservedResult> onLateReply;

    /**
     * Creates a command.
     *
     * @param onLateReply receives the reply if the wait for it has ended
     */
    ReserveCommand(Plan plan, Consumer<ReservedResult> onLateReply) {
      this.plan = new PlanCommand(plan, true, receipt -> {});
      this.onLateReply = onLateReply;
    }

    /** A reservation that was decided without the store has no part in its late charges. */
    @Override
    public boolean completeExceptionally(Throwable problem) {
      return super.completeExceptionally(Failures.givenBack(problem));
    }

    @Override
    void writeTo(Batch batch) {
      plan.writeTo(batch);
    }

    @Override
    ReservedResult read(ReplyReader reply) {
      var read = outcomes(plan.plan.charges(), reply);
      return new ReservedResult(
          new PlanResult(read.outcomes(), Source.STORE), read.freshAt(), read.now());
    }

    @Override
    void onLateReply(ReservedResult reply) {
      onLateReply.accept(reply);
    }

    @Override
    Charge charge() {
      return plan.charge();
    }

    @Override
    long extraWork() {
      return plan.extraWork();
    }
  }

  /** Returns a command that applies an operation to the counters of a reservation in one slot. */
  static ScriptCommand<ReservationReply> reservation(ReservationCommand command) {
    return new ChargeCommand<>(
        command.entries().getFirst().reserved().charge(),
        false,
        batch -> batch.write(command),
        reply -> reply.reservation(command));
  }

  /**
   * The outcomes of several charges.
   *
   * @param freshAt for each charge, the time at which its counter would be fresh without later
   *     charges and without holds
   * @param now the server time, in microseconds
   */
  record Outcomes(List<Outcome> outcomes, List<Long> freshAt, long now) {
    /** Returns the receipt of a charge that was made. */
    ChargeReceipt receipt(int index, Charge charge) {
      return new ChargeReceipt(charge, now, freshAt.get(index));
    }
  }

  private static Outcomes outcomes(List<Charge> charges, ReplyReader reply) {
    var outcomes = new ArrayList<Outcome>(charges.size());
    var freshAt = new ArrayList<Long>(charges.size());
    for (var charge : charges) {
      outcomes.add(reply.outcome(charge));
      freshAt.add(reply.freshAt());
    }
    return new Outcomes(outcomes, freshAt, reply.now());
  }

  /** Evaluates charges atomically, regardless of rules: all are made or none. */
  static final class ChargesCommand extends ScriptCommand<Outcomes> {
    final List<Charge> charges;
    final boolean commit;
    private final Consumer<Outcomes> onLateReply;

    ChargesCommand(List<Charge> charges, boolean commit) {
      this(charges, commit, reply -> {});
    }

    /**
     * Creates a command.
     *
     * @param commit whether to make the charges
     * @param onLateReply receives the reply if the wait for it has ended
     */
    ChargesCommand(List<Charge> charges, boolean commit, Consumer<Outcomes> onLateReply) {
      this.charges = charges;
      this.commit = commit;
      this.onLateReply = onLateReply;
    }

    @Override
    void writeTo(Batch batch) {
      batch.write(charges, commit);
    }

    @Override
    Outcomes read(ReplyReader reply) {
      return outcomes(charges, reply);
    }

    @Override
    void onLateReply(Outcomes reply) {
      onLateReply.accept(reply);
    }

    @Override
    Charge charge() {
      return charges.getFirst();
    }

    @Override
    long extraWork() {
      return ScriptCommand.extraWork(charges);
    }
  }

  /**
   * Gives back a charge. A background command: if it expired in the queue, the charge would stay
   * although no request was admitted.
   */
  static final class GiveBack extends ScriptCommand<Boolean> {
    final ChargeReceipt receipt;

    GiveBack(ChargeReceipt receipt) {
      this.receipt = receipt;
    }

    @Override
    void writeTo(Batch batch) {
      batch.writeGiveBack(receipt);
    }

    @Override
    Boolean read(ReplyReader reply) {
      return reply.next() == 1;
    }

    @Override
    boolean isBackground() {
      return true;
    }

    @Override
    Charge charge() {
      return receipt.charge();
    }
  }

  /** An operation on the slots of a holder. */
  enum SlotOperation {
    RENEW,
    RELEASE
  }

  /** Returns a command that renews or releases the slots of a charge; false if there are none. */
  static ScriptCommand<Boolean> slotOperation(Charge charge, SlotOperation operation) {
    return new ChargeCommand<>(
        charge, false, batch -> batch.write(charge, operation), reply -> reply.next() == 1);
  }

  /** Returns a command that releases the slots of a charge after a call. */
  static ScriptCommand<Boolean> releaseAfter(Charge charge, CompletedCall call) {
    return new ChargeCommand<>(
        charge, false, batch -> batch.write(charge, call), reply -> reply.next() == 1);
  }

  /**
   * Returns a command that makes a charge, reports the usage of a hold and requests another.
   *
   * @param giveBack gives back a charge that was made after the wait for the reply had ended
   */
  static ScriptCommand<HoldResult> hold(
      Charge charge, HoldRequest request, Consumer<ChargeReceipt> giveBack) {
    return new HoldCommand(charge, request, giveBack);
  }

  /** Makes a charge, reports the usage of a hold and requests another. */
  static final class HoldCommand extends ScriptCommand<HoldResult> {
    private final Charge charge;
    private final HoldRequest request;
    private final Consumer<ChargeReceipt> giveBack;
    private long freshAt; // this and the next are those of the reply
    private long now;

    HoldCommand(Charge charge, HoldRequest request, Consumer<ChargeReceipt> giveBack) {
      this.charge = charge;
      this.request = request;
      this.giveBack = giveBack;
    }

    @Override
    void writeTo(Batch batch) {
      batch.write(charge, request);
    }

    @Override
    HoldResult read(ReplyReader reply) {
      now = reply.now();
      var outcome = reply.outcome(charge);
      freshAt = reply.freshAt();
      return new HoldResult(outcome, reply.next(), now + request.lease());
    }

    @Override
    Charge charge() {
      return charge;
    }

    @Override
    boolean isDecision() {
      return true;
    }

    @Override
    LateReply lateReply(HoldResult result) {
      return new LateOutcomes(
          List.of(charge),
          List.of(result.outcome()),
          new boolean[] {charge.cost() > 0 && result.outcome() instanceof Passed},
          new long[] {freshAt},
          now,
          giveBack);
    }
  }

  /** Returns a background command that charges spent permits and reads the state. */
  static ScriptCommand<ReportResult> report(Charge charge) {
    return new ChargeCommand<>(
        charge,
        true,
        batch -> batch.writeReport(charge),
        reply -> {
          boolean counted = reply.next() == 1;
          return new ReportResult(reply.state(), reply.now(), counted);
        });
  }

  /**
   * Charges permits that were spent, also if the limit has changed since the last decision. A
   * background command: permits that a lost command does not charge would be admitted again.
   */
  static final class SpentCommand extends ScriptCommand<Boolean> {
    private final Charge charge;

    SpentCommand(Charge charge) {
      this.charge = charge;
    }

    @Override
    void writeTo(Batch batch) {
      batch.writeSpent(charge);
    }

    /** Returns whether the permits were counted, which they are. */
    @Override
    Boolean read(ReplyReader reply) {
      var unusedOutcome = reply.outcome(charge.withCost(0));
      boolean counted = reply.next() == 1;
      var unusedState = reply.state();
      return counted;
    }

    @Override
    int size() {
      return 2;
    }

    @Override
    boolean isBackground() {
      return true;
    }

    @Override
    Charge charge() {
      return charge;
    }
  }

  /**
   * Returns a command that records a reset before it is made, so that the charges of the counter
   * return nothing later.
   */
  static ScriptCommand<Boolean> resetting(Charge charge) {
    return new ChargeCommand<>(
        charge, false, batch -> batch.writeResetting(charge), reply -> reply.next() == 1);
  }

  /** A command about one charge, encoded and decoded by the given functions. */
  private static final class ChargeCommand<T> extends ScriptCommand<T> {
    private final Charge charge;
    private final boolean background;
    private final Consumer<Batch> writer;
    private final Function<ReplyReader, T> reader;

    ChargeCommand(
        Charge charge,
        boolean background,
        Consumer<Batch> writer,
        Function<ReplyReader, T> reader) {
      this.charge = charge;
      this.background = background;
      this.writer = writer;
      this.reader = reader;
    }

    @Override
    void writeTo(Batch batch) {
      writer.accept(batch);
    }

    @Override
    T read(ReplyReader reply) {
      return reader.apply(reply);
    }

    @Override
    boolean isBackground() {
      return background;
    }

    @Override
    Charge charge() {
      return charge;
    }
  }
}
