package io.headgate.redis;

import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Passed;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.Answer;
import io.headgate.store.Evidence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongPredicate;
import java.util.function.ToIntFunction;

/**
 * Runs plans whose counters are in several slots of a cluster, where no script reaches all of them.
 *
 * <p>First looks at all of them, at once. If the plan would pass, makes its charges slot by slot,
 * from the widest counter to the narrowest; each slot's charges are made all or none, and only if
 * they still pass. If one does not, because somebody else came in between, what was taken before is
 * given back and the plan is refused.
 *
 * <p>So no counter ever lets more pass than its limit. But a counter that is waiting to be given
 * back has less to give: for the time of a round trip or two, requests may be refused that would
 * have passed, at most as many as there are such plans under way and in conflict. If the one who
 * charges dies in between, what it took stays taken until time gives it back.
 */
final class Spanning {
  /** Sends one question. */
  interface Asker {
    <T> CompletionStage<T> ask(Ask<T> ask);
  }

  private final Asker asker;
  private final ToIntFunction<Charge> laneOf;
  private final Duration deadline;
  private final LongPredicate isLate;

  Spanning(Asker asker, ToIntFunction<Charge> laneOf, Duration deadline) {
    this(asker, laneOf, deadline, since -> System.nanoTime() - since > deadline.toNanos());
  }

  /**
   * @param isLate whether the deadline of a plan that began at that time has passed
   */
  Spanning(Asker asker, ToIntFunction<Charge> laneOf, Duration deadline, LongPredicate isLate) {
    this.isLate = isLate;
    this.asker = asker;
    this.laneOf = laneOf;
    this.deadline = deadline;
  }

  CompletionStage<Answer> run(Plan plan, boolean keep) {
    var made = new boolean[plan.charges().size()];
    Arrays.fill(made, true);
    return look(plan, keep, made, System.nanoTime())
        .thenCompose(
            look -> keep ? look.charge() : CompletableFuture.completedStage(look.answer()));
  }

  /**
   * @param made which charges will be, as far as is known: what those of one counter come to is
   *     asked together. Where the answers say otherwise it is asked again, so that each look is
   *     right for one part of the plan more
   */
  private CompletionStage<Look> look(Plan plan, boolean keep, boolean[] made, long since) {
    var asked = new ArrayList<CompletableFuture<List<Outcome>>>();
    var untouched = new ArrayList<CompletableFuture<List<Outcome>>>();
    var without = new ArrayList<CompletableFuture<List<Outcome>>>();
    for (int i = 0; i < plan.charges().size(); i++) {
      var charge = plan.charges().get(i);
      var addedUp = plan.addedUp(i, before -> made[before]);
      long others = addedUp.cost() - charge.cost();
      // At no cost nothing is charged; but a limit that was changed takes over its state by it.
      untouched.add(ask(at(0, charge), keep));
      asked.add(ask(addedUp, false));
      without.add(others == 0 ? untouched.getLast() : ask(at(others, charge), false));
    }
    return all(asked)
        .thenCombine(all(untouched), (would, are) -> new Look(plan, would, are, since))
        .thenCombine(all(without), Look::orElse)
        .thenCompose(look -> {
          var found = plan.isJoint() ? plan.passing(look.outcomes) : made;
          return Arrays.equals(found, made)
              ? CompletableFuture.completedStage(look)
              : look(plan, keep, found, since);
        });
  }

  private static Charge at(long cost, Charge charge) {
    return new Charge(charge.counter(), charge.key(), cost, charge.holder());
  }

  private CompletableFuture<List<Outcome>> ask(Charge charge, boolean keep) {
    return asker.ask(new Ask.OfCharges(List.of(charge), keep)).toCompletableFuture();
  }

  private static CompletionStage<List<Outcome>> all(List<CompletableFuture<List<Outcome>>> looks) {
    return CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new))
        .thenApply(done -> {
          List<Outcome> outcomes = new ArrayList<>();
          for (var look : looks) outcomes.add(look.join().getFirst());
          return outcomes;
        });
  }

  /** The charges of one slot, by their places in the plan. */
  private record Group(List<Integer> places, List<Charge> charges) {
    int width() {
      return charges.stream().mapToInt(charge -> charge.counter().per().size()).min().orElse(0);
    }

    /** As they were made: those of one counter and key together, as if they were one. */
    Collection<Charge> addedUp() {
      record Place(Counter counter, String key) {}
      var sums = new LinkedHashMap<Place, Charge>();
      for (var charge : charges) {
        sums.merge(
            new Place(charge.counter(), charge.key()),
            charge,
            (sum, more) -> at(sum.cost() + more.cost(), more));
      }
      return sums.values();
    }
  }

  /** What was seen of a plan, and what comes of it. */
  private final class Look {
    private final Plan plan;
    private final List<Outcome> outcomes;
    private final List<Outcome> untouched;
    private List<Outcome> without; // what each says of the charges before it alone
    private final boolean[] charged;
    private final long since;

    Look(Plan plan, List<Outcome> would, List<Outcome> untouched, long since) {
      this.plan = plan;
      this.outcomes = would;
      this.untouched = untouched;
      this.without = untouched;
      this.charged = plan.charged(would);
      this.since = since;
    }

    private Look orElse(List<Outcome> without) {
      if (plan.allows(outcomes)) this.without = without;
      return this;
    }

    CompletionStage<Answer> charge() {
      return charge(groups(), 0);
    }

    /** What was not charged is as it was. */
    Answer answer() {
      for (int i = 0; i < charged.length; i++) {
        if (!charged[i] && outcomes.get(i) instanceof Passed) outcomes.set(i, without.get(i));
      }
      return new Answer(outcomes, Evidence.STORE);
    }

    private List<Group> groups() {
      var bySlot = new TreeMap<Integer, Group>();
      for (int i = 0; i < charged.length; i++) {
        var charge = plan.charges().get(i);
        if (!charged[i] || charge.cost() == 0) continue;
        var group =
            bySlot.computeIfAbsent(
                laneOf.applyAsInt(charge), slot -> new Group(new ArrayList<>(), new ArrayList<>()));
        group.places.add(i);
        group.charges.add(charge);
      }
      var groups = new ArrayList<>(bySlot.values());
      groups.sort(Comparator.comparingInt(Group::width));
      return groups;
    }

    private CompletionStage<Answer> charge(List<Group> groups, int next) {
      if (next == groups.size()) return CompletableFuture.completedStage(answer());
      if (isLate.test(since)) { // the caller was told something else
        giveBack(groups.subList(0, next));
        return CompletableFuture.failedStage(Watch.late(deadline));
      }
      var group = groups.get(next);
      return asker
          .ask(new Ask.OfCharges(group.charges, true))
          .handle((said, problem) -> {
            if (problem == null && said.stream().allMatch(Passed.class::isInstance)) {
              note(group, said);
              return charge(groups, next + 1);
            }
            giveBack(groups.subList(0, next));
            if (problem != null) return CompletableFuture.<Answer>failedStage(problem);
            note(group, said);
            return CompletableFuture.completedStage(refused());
          })
          .thenCompose(answer -> answer);
    }

    private void note(Group group, List<Outcome> said) {
      for (int i = 0; i < said.size(); i++) outcomes.set(group.places.get(i), said.get(i));
    }

    /** Of the group that refused, what passed is as it was by the server's own word. */
    private Answer refused() {
      for (int i = 0; i < charged.length; i++) {
        if (outcomes.get(i) instanceof Passed) outcomes.set(i, untouched.get(i));
      }
      return new Answer(outcomes, Evidence.STORE);
    }

    /** Not waited for: if it does not arrive, time gives back what was taken. */
    private void giveBack(List<Group> groups) {
      for (var group : groups) {
        for (var charge : group.addedUp()) {
          var unused = asker.ask(Ask.change(charge, Ask.Change.GIVE_BACK));
        }
      }
    }
  }
}
