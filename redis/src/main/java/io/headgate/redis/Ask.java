package io.headgate.redis;

import io.headgate.limit.Outcome;
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
  abstract T read(Said said);

  /** One of its charges; all of them are in the same slot. */
  abstract Charge charge();

  final void answer(Said said) {
    complete(read(said));
  }

  static final class OfPlan extends Ask<Answer> {
    final Plan plan;
    final boolean keep;

    OfPlan(Plan plan, boolean keep) {
      this.plan = plan;
      this.keep = keep;
    }

    @Override
    void writeTo(Batch batch) {
      batch.write(plan, keep);
    }

    @Override
    Answer read(Said said) {
      var charges = plan.charges();
      if (charges.size() == 1) {
        return new Answer(said.outcome(charges.getFirst()), Evidence.STORE);
      }
      List<Outcome> outcomes = new ArrayList<>(charges.size());
      for (var charge : charges) outcomes.add(said.outcome(charge));
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
    List<Outcome> read(Said said) {
      List<Outcome> outcomes = new ArrayList<>(charges.size());
      for (var charge : charges) outcomes.add(said.outcome(charge));
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
    Boolean read(Said said) {
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
    Taken read(Said said) {
      return new Taken(said.outcome(charge), said.next());
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
    Known read(Said said) {
      return new Known(said.state(), said.now());
    }

    @Override
    Charge charge() {
      return charge;
    }
  }
}
