package io.headgate.redis;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Never;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.Take;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.store.Answer;
import io.headgate.store.Evidence;
import io.headgate.store.SharedCounts.Known;
import io.headgate.store.SharedCounts.Taken;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One question on its way to the server, and the place where its answer is awaited. */
abstract sealed class Ask<T> extends CompletableFuture<T> {
  final long since = System.nanoTime();

  abstract void writeTo(Batch batch);

  /** Takes its part of a batch's answer; the asks of a batch do so in their order. */
  abstract T read(NumberReader said);

  /** One of its charges; all of them are in the same slot. */
  abstract Charge charge();

  final void answer(NumberReader said) {
    complete(read(said));
  }

  static final class OfPlan extends Ask<Answer> {
    final Plan plan;
    private final boolean keep;

    OfPlan(Plan plan, boolean keep) {
      this.plan = plan;
      this.keep = keep;
    }

    @Override
    void writeTo(Batch batch) {
      batch.write(plan, keep);
    }

    @Override
    Answer read(NumberReader said) {
      var charges = plan.charges();
      if (charges.size() == 1) {
        return new Answer(outcome(charges.getFirst(), said), Evidence.STORE);
      }
      List<Outcome> outcomes = new ArrayList<>(charges.size());
      for (var charge : charges) outcomes.add(outcome(charge, said));
      return new Answer(outcomes, Evidence.STORE);
    }

    @Override
    Charge charge() {
      return plan.charges().getFirst();
    }
  }

  /** Charges that are all made or none, whatever rules they are of. */
  static final class OfCharges extends Ask<List<Outcome>> {
    private final List<Charge> charges;
    private final boolean keep;

    OfCharges(List<Charge> charges, boolean keep) {
      this.charges = charges;
      this.keep = keep;
    }

    @Override
    void writeTo(Batch batch) {
      batch.write(charges, keep);
    }

    @Override
    List<Outcome> read(NumberReader said) {
      List<Outcome> outcomes = new ArrayList<>(charges.size());
      for (var charge : charges) outcomes.add(outcome(charge, said));
      return outcomes;
    }

    @Override
    Charge charge() {
      return charges.getFirst();
    }
  }

  /** What may be done about a charge that was made. */
  enum Change {
    RENEW,
    RELEASE,
    GIVE_BACK
  }

  static final class OfChange extends Ask<Boolean> {
    private final Charge charge;
    private final Change change;

    OfChange(Charge charge, Change change) {
      this.charge = charge;
      this.change = change;
    }

    @Override
    void writeTo(Batch batch) {
      batch.write(charge, change);
    }

    @Override
    Boolean read(NumberReader said) {
      return said.next() == 1;
    }

    @Override
    Charge charge() {
      return charge;
    }
  }

  /** Permits for this instance to spend by itself. */
  static final class OfTake extends Ask<Taken> {
    private final Charge charge;
    private final Take take;

    OfTake(Charge charge, Take take) {
      this.charge = charge;
      this.take = take;
    }

    @Override
    void writeTo(Batch batch) {
      batch.write(charge, take);
    }

    @Override
    Taken read(NumberReader said) {
      return new Taken(outcome(charge, said), said.next());
    }

    @Override
    Charge charge() {
      return charge;
    }
  }

  /** What was spent already, for what is known then. */
  static final class OfReport extends Ask<Known> {
    private final Charge charge;

    OfReport(Charge charge) {
      this.charge = charge;
    }

    @Override
    void writeTo(Batch batch) {
      batch.writeReport(charge);
    }

    @Override
    Known read(NumberReader said) {
      long now = said.next();
      return new Known(Terms.state(said), now);
    }

    @Override
    Charge charge() {
      return charge;
    }
  }

  private static Outcome outcome(Charge charge, NumberReader said) {
    int kind = (int) said.next();
    long remaining = said.next();
    long resetAfter = said.next();
    long wait = said.next();
    return switch (kind) {
      case 0 -> new Passed(remaining, resetAfter, wait);
      case 1 -> new Refused(remaining, resetAfter, wait);
      // The cost asked for may be more than the charge's own: with that of others before it.
      case 2 ->
          new Never(
              remaining, resetAfter, Math.max(wait, charge.cost()), charge.limit().capacity());
      default -> throw new IllegalStateException("the script said " + kind);
    };
  }
}
