package io.headgate.redis.internal.script;

import io.headgate.limit.Concurrency;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.Outcome;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.store.HoldingStore.Known;
import io.headgate.store.HoldingStore.Taken;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/** One question on its way to the server, and the place where its answer is awaited. */
public abstract sealed class ScriptCommand<T> extends CompletableFuture<T> implements PendingReply {
  /** When it was submitted, by the clock of its {@link Batcher}; written before it is queued. */
  public long since;

  public abstract void writeTo(Batch batch);

  /** Takes its part of a batch's answer; the asks of a batch do so in their order. */
  public abstract T read(ReplyReader said);

  /** One of its charges; all of them are in the same slot. */
  abstract Charge charge();

  /** How many members of sorted sets it may add, beyond the one that any check does. */
  long extraWork() {
    return 0;
  }

  private static long extraWork(Charge charge) {
    return charge.limit() instanceof Concurrency slots && charge.cost() > 1
        ? Math.min(charge.cost(), slots.highestCost())
        : 0;
  }

  private static long extraWork(List<Charge> charges) {
    long work = 0;
    for (var charge : charges) work += extraWork(charge);
    return work;
  }

  final void answer(ReplyReader said) {
    var value = read(said);
    if (!complete(value)) tooLate(value);
  }

  /** Receives a reply that arrived after the wait for it had ended. */
  void tooLate(T value) {}

  @Override
  public List<String> unansweredKeys() {
    return List.of(charge().key());
  }

  /** A failure names the counter it concerns, since a plan may depend on several servers. */
  @Override
  public boolean completeExceptionally(Throwable problem) {
    return super.completeExceptionally(
        problem instanceof StoreException failure ? failure.at(unansweredKeys()) : problem);
  }

  /**
   * Whether no caller waits for it, so that it has no deadline: it fails when its connection does.
   */
  boolean isBackground() {
    return false;
  }

  public static final class OfPlan extends ScriptCommand<PlanResult> {
    public final Plan plan;
    public final boolean keep;

    public OfPlan(Plan plan, boolean keep) {
      this.plan = plan;
      this.keep = keep;
    }

    @Override
    public void writeTo(Batch batch) {
      batch.write(plan, keep);
    }

    @Override
    public PlanResult read(ReplyReader said) {
      var charges = plan.charges();
      if (charges.size() == 1) {
        return new PlanResult(said.outcome(charges.getFirst()), Source.STORE);
      }
      List<Outcome> outcomes = new ArrayList<>(charges.size());
      for (var charge : charges) outcomes.add(said.outcome(charge));
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
   * What each of some limits answers.
   *
   * @param now the time of the server, in microseconds
   */
  public record Outcomes(List<Outcome> outcomes, long now) {}

  /** Charges that are all made or none, whatever rules they are of. */
  public static final class OfCharges extends ScriptCommand<Outcomes> {
    final List<Charge> charges;
    final boolean keep;
    private final Consumer<Outcomes> tooLate;

    public OfCharges(List<Charge> charges, boolean keep) {
      this(charges, keep, reply -> {});
    }

    /**
     * @param tooLate receives the reply if the wait for it has ended
     */
    public OfCharges(List<Charge> charges, boolean keep, Consumer<Outcomes> tooLate) {
      this.charges = charges;
      this.keep = keep;
      this.tooLate = tooLate;
    }

    @Override
    public void writeTo(Batch batch) {
      batch.write(charges, keep);
    }

    @Override
    public Outcomes read(ReplyReader said) {
      List<Outcome> outcomes = new ArrayList<>(charges.size());
      for (var charge : charges) outcomes.add(said.outcome(charge));
      return new Outcomes(outcomes, said.now());
    }

    @Override
    void tooLate(Outcomes reply) {
      tooLate.accept(reply);
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

  /** Undoes a charge. */
  static final class GiveBack extends ScriptCommand<Boolean> {
    final ChargeReceipt receipt;

    GiveBack(ChargeReceipt receipt) {
      this.receipt = receipt;
    }

    @Override
    public void writeTo(Batch batch) {
      batch.writeGiveBack(receipt);
    }

    @Override
    public Boolean read(ReplyReader said) {
      return said.next() == 1;
    }

    @Override
    Charge charge() {
      return receipt.charge();
    }
  }

  /** What may be done about a slot. */
  public enum Change {
    RENEW,
    RELEASE
  }

  public static ScriptCommand<Boolean> change(Charge charge, Change change) {
    return new OfCharge<>(
        charge, false, batch -> batch.write(charge, change), said -> said.next() == 1);
  }

  /** Permits for this instance to spend by itself. */
  public static ScriptCommand<Taken> take(Charge charge, HoldRequest take) {
    return new OfCharge<>(
        charge,
        false,
        batch -> batch.write(charge, take),
        said -> new Taken(said.outcome(charge), said.next(), said.now() + take.lease()));
  }

  /** What was spent already, for what is known then. */
  public static ScriptCommand<Known> report(Charge charge) {
    return new OfCharge<>(
        charge,
        true,
        batch -> batch.writeReport(charge),
        said -> {
          boolean counted = said.next() == 1;
          return new Known(said.state(), said.now(), counted);
        });
  }

  /** What is asked seldom. */
  private static final class OfCharge<T> extends ScriptCommand<T> {
    private final Charge charge;
    private final boolean background;
    private final Consumer<Batch> question;
    private final Function<ReplyReader, T> answer;

    OfCharge(
        Charge charge,
        boolean background,
        Consumer<Batch> question,
        Function<ReplyReader, T> answer) {
      this.charge = charge;
      this.background = background;
      this.question = question;
      this.answer = answer;
    }

    @Override
    public void writeTo(Batch batch) {
      question.accept(batch);
    }

    @Override
    public T read(ReplyReader said) {
      return answer.apply(said);
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
