package io.headgate.internal.consistency;

import io.headgate.limit.HoldRequest.Usage;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ConsistencyOptions;
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

/** Several instances that share one reference store and one manual clock. */
final class Fleet {
  final ManualTicker ticker = ManualTicker.create();
  final ReferenceHoldingStore shared = ReferenceHoldingStore.shared(ticker);
  final List<Instance> instances = new ArrayList<>();
  RuleSet rules;

  Fleet(int size, ConsistencyOptions options, Rule... rules) {
    this.rules = RuleSet.of(rules);
    for (int i = 0; i < size; i++) instances.add(new Instance(i + 1, size, options));
  }

  Fleet(int size, Rule... rules) {
    this(size, ConsistencyOptions.DEFAULT, rules);
  }

  /** Returns the name by which instances refer to a counter. */
  static String nameOf(Counter counter, String key) {
    return counter.id() + '/' + key;
  }

  Instance first() {
    return instances.getFirst();
  }

  /** Advances the clock in steps of 50 ms, after each of which all instances synchronize. */
  void run(Duration time) {
    for (long left = time.toMillis(); left > 0; left -= 50) {
      ticker.advance(Duration.ofMillis(Math.min(50, left)));
      instances.forEach(instance -> instance.store.sync().run());
    }
  }

  Plan plan(Subject subject, long cost) {
    return rules.plan(Request.of(subject, cost), ticker.micros(), 0);
  }

  /** One instance, with injected faults and a count of its calls to the store. */
  final class Instance {
    final ConsistencyStore store;
    private final ReferenceHoldingStore remote;
    int calls;
    boolean disconnected;
    boolean losingReplies; // the store executes requests, but replies are lost
    boolean overloaded; // requests are not sent
    Set<String> unavailableKeys = Set.of(); // of an unavailable shard
    @Nullable List<Runnable> delayedReplies; // null: replies arrive at once

    Instance(int number, int size, ConsistencyOptions options) {
      this.remote = shared.as(number);
      var counting = new CountingStore(remote, this::call);
      this.store =
          ConsistencyStore.forTesting(
              counting,
              holds(),
              Fleet::nameOf,
              () -> size,
              new FailureDomains(2, key -> key.startsWith("other") ? 1 : 0),
              options,
              () -> ticker.micros() * 1_000,
              ticker);
    }

    boolean check(String key) {
      return check(key, 1);
    }

    boolean check(String key, long cost) {
      return check(Subject.of(key), cost);
    }

    boolean check(Subject subject, long cost) {
      var plan = plan(subject, cost);
      return plan.allows(decide(plan).outcomes());
    }

    PlanResult decide(Plan plan) {
      return store.decide(plan);
    }

    private void call() {
      calls++;
      if (disconnected) {
        throw new StoreException(StoreException.Kind.CONNECTION, "disconnected", null);
      }
    }

    private HoldingStore holds() {
      return new HoldingStore() {
        @Override
        public CompletionStage<HoldResult> hold(Charge charge, Usage usage, long want, long lease) {
          return send(charge, () -> remote.hold(charge, usage, want, lease));
        }

        @Override
        public CompletionStage<ReportResult> report(Charge charge) {
          return send(charge, () -> remote.report(charge));
        }
      };
    }

    /** Delivers the replies that have been delayed so far. */
    void deliverReplies() {
      var arriving = List.copyOf(Objects.requireNonNull(delayedReplies));
      delayedReplies.clear();
      arriving.forEach(Runnable::run);
    }

    private <T> CompletionStage<T> send(Charge charge, Supplier<CompletionStage<T>> command) {
      try {
        call();
      } catch (StoreException e) {
        return CompletableFuture.failedStage(e);
      }
      if (overloaded) {
        return CompletableFuture.failedStage(
            new StoreException(StoreException.Kind.OVERLOADED, "too many requests in flight", null)
                .unsent());
      }
      if (unavailableKeys.contains(charge.key())) {
        return CompletableFuture.failedStage(
            new StoreException(StoreException.Kind.CONNECTION, "the shard is unavailable", null));
      }
      var reply = command.get();
      if (delayedReplies != null) {
        var later = new CompletableFuture<T>();
        delayedReplies.add(() -> later.complete(reply.toCompletableFuture().join()));
        return later;
      }
      if (!losingReplies) return reply;
      return CompletableFuture.failedStage(
          new StoreException(StoreException.Kind.TIMEOUT, "no reply", null));
    }
  }
}
