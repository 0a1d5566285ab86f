package io.headgate.consistency;

import io.headgate.limit.HoldRequest.Usage;
import io.headgate.rule.Charge;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.HoldingStore;
import io.headgate.store.PlanResult;
import io.headgate.store.StoreException;
import io.headgate.testkit.ManualTicker;
import io.headgate.testkit.ReferenceHoldingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Instances that share one plain store, by one clock that is turned by hand. */
final class Fleet {
  final ManualTicker ticker = ManualTicker.create();
  final ReferenceHoldingStore shared = ReferenceHoldingStore.shared(ticker);
  final List<Member> members = new ArrayList<>();
  RuleSet rules;

  Fleet(int size, ConsistencyOptions options, Rule... rules) {
    this.rules = RuleSet.of(rules);
    for (int i = 0; i < size; i++) members.add(new Member(i + 1, size, options));
  }

  Fleet(int size, Rule... rules) {
    this(size, ConsistencyOptions.DEFAULT, rules);
  }

  Member first() {
    return members.getFirst();
  }

  /** Time passes, and everybody does meanwhile what it does at such times. */
  void pass(Duration time) {
    for (long left = time.toMillis(); left > 0; left -= 50) {
      ticker.advance(Duration.ofMillis(Math.min(50, left)));
      members.forEach(member -> member.near.errands().run());
    }
  }

  Plan plan(Subject subject, long cost) {
    return rules.plan(Request.of(subject, cost), ticker.micros(), 0);
  }

  /** One instance, and how often it asked the store. */
  final class Member {
    final ConsistencyStore near;
    private final ReferenceHoldingStore plain;
    int calls;
    boolean cutOff;
    boolean unanswered; // the store hears, but its answers are lost
    boolean overloaded; // nothing is sent
    Set<String> deadKeys = Set.of(); // of a shard that is away
    @Nullable List<Runnable> late; // answers that are on their way, if they take time

    Member(int number, int size, ConsistencyOptions options) {
      this.plain = shared.as(number);
      var store = new CountingStore(plain, this::call);
      this.near =
          ConsistencyStore.forTesting(
              store,
              counts(),
              () -> size,
              new FailureDomains(2, key -> key.startsWith("other") ? 1 : 0),
              options,
              () -> ticker.micros() * 1_000,
              ticker);
    }

    boolean asks(String key) {
      return asks(key, 1);
    }

    boolean asks(String key, long cost) {
      return asks(Subject.of(key), cost);
    }

    boolean asks(Subject subject, long cost) {
      var plan = plan(subject, cost);
      return plan.allows(answer(plan).outcomes());
    }

    PlanResult answer(Plan plan) {
      return near.decide(plan);
    }

    private void call() {
      calls++;
      if (cutOff) throw new StoreException(StoreException.Kind.CONNECTION, "cut off", null);
    }

    private HoldingStore counts() {
      return new HoldingStore() {
        @Override
        public CompletionStage<Taken> take(Charge charge, Usage usage, long want, long lease) {
          return said(charge, () -> plain.take(charge, usage, want, lease));
        }

        @Override
        public CompletionStage<Known> report(Charge charge) {
          return said(charge, () -> plain.report(charge));
        }
      };
    }

    /** The answers that were on their way arrive. */
    void answersArrive() {
      var arriving = List.copyOf(Objects.requireNonNull(late));
      late.clear();
      arriving.forEach(Runnable::run);
    }

    private <T> CompletionStage<T> said(Charge charge, Supplier<CompletionStage<T>> saying) {
      try {
        call();
      } catch (StoreException e) {
        return CompletableFuture.failedStage(e);
      }
      if (overloaded) {
        return CompletableFuture.failedStage(
            new StoreException(StoreException.Kind.OVERLOADED, "too much waits", null).unsent());
      }
      if (deadKeys.contains(charge.key())) {
        return CompletableFuture.failedStage(
            new StoreException(StoreException.Kind.CONNECTION, "the shard is away", null));
      }
      var answer = saying.get();
      if (late != null) {
        var later = new CompletableFuture<T>();
        late.add(() -> later.complete(answer.toCompletableFuture().join()));
        return later;
      }
      if (!unanswered) return answer;
      return CompletableFuture.failedStage(
          new StoreException(StoreException.Kind.TIMEOUT, "no answer", null));
    }
  }
}
