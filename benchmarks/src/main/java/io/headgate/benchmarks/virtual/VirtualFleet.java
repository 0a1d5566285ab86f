package io.headgate.benchmarks.virtual;

import io.headgate.internal.consistency.ConsistencyStore;
import io.headgate.internal.consistency.FailureDomains;
import io.headgate.internal.consistency.HoldingStore;
import io.headgate.internal.consistency.ManualConsistencyStore;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.ConsistencyOptions;
import io.headgate.store.ForwardingStore;
import io.headgate.store.PlanResult;
import io.headgate.testkit.ManualTicker;
import io.headgate.testkit.ReferenceHoldingStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Several instances with the real {@link ConsistencyStore} over one reference store, in virtual
 * time. A command takes a constant time to the store and as long back. One thread runs all events
 * in the order of their times, so that a run has the same result on every machine.
 */
final class VirtualFleet {
  /** From an instance to the store, in microseconds: half of a round trip. */
  private static final long LATENCY = 250;

  private record Event(long at, long number, Runnable action) {}

  private final ManualTicker ticker = ManualTicker.create();
  private final long start = ticker.micros();
  private final ReferenceHoldingStore shared = ReferenceHoldingStore.shared(ticker);
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
  private final List<ConsistencyStore> instances = new ArrayList<>();
  private final long syncInterval = ConsistencyOptions.DEFAULT.syncInterval().toNanos() / 1_000;
  private long scheduled;
  private long commands;

  VirtualFleet(int size) {
    for (int i = 0; i < size; i++) {
      var remote = shared.as(i + 1);
      var store =
          ManualConsistencyStore.create(
              new DelayedStore(remote),
              new DelayedHolds(remote),
              VirtualFleet::nameOf,
              () -> size,
              new FailureDomains(1, key -> 0),
              ConsistencyOptions.DEFAULT,
              () -> (ticker.micros() - start) * 1_000,
              ticker);
      store.subscribed();
      instances.add(store);
      syncAt(start + (i + 1) * syncInterval / size, store);
    }
  }

  private static String nameOf(Counter counter, String key) {
    return counter.id() + '/' + key;
  }

  /** Returns the time since the epoch at which the fleet was created, in microseconds. */
  long start() {
    return start;
  }

  long now() {
    return ticker.micros();
  }

  /** Returns the number of commands sent to the store so far. */
  long commands() {
    return commands;
  }

  private void at(long time, Runnable action) {
    events.add(new Event(time, scheduled++, action));
  }

  private void syncAt(long time, ConsistencyStore store) {
    at(
        time,
        () -> {
          ManualConsistencyStore.sync(store);
          syncAt(time + syncInterval, store);
        });
  }

  /** Runs all events up to this time, and sets the clock to it. */
  void runUntil(long time) {
    while (true) {
      var next = events.peek();
      long at = Math.min(next == null ? Long.MAX_VALUE : next.at, nextDeadline());
      if (at > time) break;
      ticker.set(Math.max(now(), at));
      if (next != null && next.at <= at) events.remove().action.run();
      for (var store : instances) ManualConsistencyStore.sendDue(store);
    }
    ticker.set(time);
  }

  /** Returns when the first instance has to report. */
  private long nextDeadline() {
    long first = Long.MAX_VALUE;
    for (var store : instances) first = Math.min(first, ManualConsistencyStore.nextDeadline(store));
    return first == Long.MAX_VALUE ? first : start + Math.ceilDiv(first, 1_000L);
  }

  /** Has an instance decide a plan. The stage completes during {@link #runUntil} or at once. */
  CompletionStage<PlanResult> decide(int instance, Plan plan) {
    var store = instances.get(instance);
    var result = store.decideAsync(plan);
    ManualConsistencyStore.sendDue(store);
    return result;
  }

  private <T> CompletionStage<T> send(Supplier<CompletionStage<T>> command) {
    commands++;
    var reply = new CompletableFuture<T>();
    at(
        now() + LATENCY,
        () -> {
          var executed = command.get().toCompletableFuture().join();
          at(now() + LATENCY, () -> reply.complete(executed));
        });
    return reply;
  }

  /** Decides each plan half a round trip later. */
  private final class DelayedStore extends ForwardingStore {
    DelayedStore(ReferenceHoldingStore remote) {
      super(remote);
    }

    @Override
    public CompletionStage<PlanResult> decideAsync(Plan plan) {
      return send(() -> super.decideAsync(plan));
    }
  }

  /** Executes each request half a round trip later. */
  private final class DelayedHolds implements HoldingStore {
    private final ReferenceHoldingStore remote;

    DelayedHolds(ReferenceHoldingStore remote) {
      this.remote = remote;
    }

    @Override
    public CompletionStage<HoldResult> hold(Charge charge, Usage usage, long want, long lease) {
      return send(() -> remote.hold(charge, usage, want, lease));
    }

    @Override
    public CompletionStage<ReportResult> report(Charge charge) {
      return send(() -> remote.report(charge));
    }
  }
}
