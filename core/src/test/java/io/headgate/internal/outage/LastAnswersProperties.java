package io.headgate.internal.outage;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.rule.Charge;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Compares the table with a model that searches the whole history of a counter. */
class LastAnswersProperties {
  private static final int OPERATIONS = 120;
  private static final List<Limit> LIMITS =
      List.of(FixedWindow.of(Rate.perHour(50)), FixedWindow.of(Rate.perHour(20)));

  private record Reported(long request, long remaining, long at, long resetAt) {}

  /** What happened to one counter under one limit, in order. */
  private static final class History {
    final List<Reported> answers = new ArrayList<>();
    final List<Integer> spends = new ArrayList<>(); // the number of answers before each
    final List<Long> costs = new ArrayList<>();
    boolean spentUnknown;

    /** Returns the index of the answer to the last request that is still valid; -1 if unknown. */
    int latest(long now) {
      int latest = -1;
      for (int i = 0; i < answers.size(); i++) {
        var one = answers.get(i);
        boolean replaces =
            latest < 0
                || one.at >= answers.get(latest).resetAt
                || one.request >= answers.get(latest).request;
        if (replaces) latest = i;
      }
      return latest >= 0 && now < answers.get(latest).resetAt ? latest : -1;
    }

    long remaining(int latest) {
      long remaining = answers.get(latest).remaining;
      int spend = 0;
      for (int i = latest; i < answers.size(); i++) {
        if (i > latest) remaining = Math.min(remaining, answers.get(i).remaining);
        for (; spend < spends.size() && spends.get(spend) <= i + 1; spend++) {
          if (spends.get(spend) == i + 1) remaining = Math.max(0, remaining - costs.get(spend));
        }
      }
      return remaining;
    }

    boolean hasSpent(int latest) {
      return latest < 0 ? spentUnknown : spends.stream().anyMatch(at -> at > latest);
    }
  }

  @Property(tries = 300)
  void decisionsAreThoseOfTheHistory(@ForAll long seed) {
    var random = new SplittableRandom(seed);
    var table = new LastAnswers();
    var history = new History();
    var limit = LIMITS.getFirst();
    var pending = new ArrayList<Charge>();
    long now = TestPlans.START;
    for (int i = 0; i < OPERATIONS; i++) {
      now += random.nextInt(6) == 0 ? random.nextLong(2_000_000) : random.nextLong(20_000);
      var charge = TestPlans.charge(limit, "key").withCost(random.nextLong(1, 5));
      switch (random.nextInt(8)) {
        case 0, 1 -> {
          long remaining = random.nextLong(30);
          long reset = random.nextLong(1, 1_500_000);
          long request = Math.max(1, i - random.nextLong(4));
          table.record(charge, new Passed(remaining, reset, 0), request, now);
          if (history.latest(now) < 0) history.answers.clear();
          if (history.answers.isEmpty()) history.spends.clear();
          if (history.answers.isEmpty()) history.costs.clear();
          history.spentUnknown = false;
          history.answers.add(new Reported(request, remaining, now, now + reset));
        }
        case 2 -> {
          if (!pending.isEmpty()) table.settle(pending.removeLast());
        }
        default -> {
          int instances = random.nextInt(1, 6);
          long owed = random.nextInt(4) == 0 ? random.nextLong(3) : 0;
          var terms = new LastAnswers.Terms(now, instances, 50_000);
          var outcome = table.outcome(charge, owed, terms);
          boolean fits = fits(history, charge, pending, owed, instances, now);
          assertThat(outcome instanceof Passed).as("operation %s, %s", i, outcome).isEqualTo(fits);
          if (fits && random.nextBoolean()) {
            table.admit(charge);
            pending.add(charge);
          } else if (fits) {
            table.spend(charge);
            if (history.latest(now) < 0) {
              history.spentUnknown = true;
            } else {
              history.spends.add(history.answers.size());
              history.costs.add(charge.cost());
            }
          }
        }
      }
    }
  }

  /** Each of the instances may admit one request that fits, and its part of the rest. */
  private static boolean fits(
      History history, Charge charge, List<Charge> pending, long owed, int instances, long now) {
    int latest = history.latest(now);
    long taken = owed;
    for (var one : pending) taken += one.cost();
    boolean isFirst = taken == 0 && !history.hasSpent(latest);
    if (latest < 0) return isFirst;
    long remaining = history.remaining(latest);
    if (charge.cost() > remaining - taken) return false;
    return isFirst || taken + charge.cost() <= remaining / instances;
  }

  @Property(tries = 200)
  void instanceAdmitsOneRequestOrItsPartOfTheRest(@ForAll long seed) {
    var random = new SplittableRandom(seed);
    int instances = random.nextInt(1, 8);
    long remaining = random.nextLong(60);
    var table = new LastAnswers();
    var charge = TestPlans.charge(LIMITS.getFirst(), "key");
    table.record(charge, new Passed(remaining, 1_000_000, 0), 1, TestPlans.START);
    long first = 0;
    long admitted = 0;
    for (int i = 0; i < 100; i++) {
      var late = charge.withCost(random.nextLong(1, 4));
      var terms = new LastAnswers.Terms(TestPlans.START + i, instances, 50_000);
      if (!(table.outcome(late, 0, terms) instanceof Passed)) continue;
      table.admit(late);
      admitted += late.cost();
      if (first == 0) first = late.cost();
    }
    assertThat(first).isLessThanOrEqualTo(remaining);
    assertThat(admitted).isLessThanOrEqualTo(Math.max(first, remaining / instances));
  }

  @Property(tries = 50)
  void answerOfAnotherLimitIsNotUsed(@ForAll long seed) {
    var random = new SplittableRandom(seed);
    var table = new LastAnswers();
    var before = TestPlans.charge(LIMITS.getFirst(), "key");
    var after = TestPlans.charge(LIMITS.getLast(), "key");
    table.record(before, new Passed(random.nextLong(50), 1_000_000, 0), 1, TestPlans.START);
    var terms = new LastAnswers.Terms(TestPlans.START + 1, 1, 50_000);
    assertThat(table.outcome(after, 0, terms)).isInstanceOf(Passed.class);
    table.admit(after);
    assertThat(table.outcome(after, 0, terms)).isInstanceOf(Outcome.Refused.class);
  }

  @Property(tries = 5)
  void tableIsBoundedInBytes(@ForAll long seed) {
    var table = new LastAnswers(64 * 1_024);
    for (int i = 0; i < 3_000; i++) {
      var charge = TestPlans.charge(LIMITS.getFirst(), "key" + seed + i);
      table.record(charge, new Passed(1, 1_000_000, 0), i, TestPlans.START);
    }
    assertThat(table.size()).isBetween(100, 2 * 64 * 1_024 / 256);
  }
}
