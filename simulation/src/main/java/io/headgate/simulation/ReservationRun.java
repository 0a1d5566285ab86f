package io.headgate.simulation;

import io.headgate.Costs;
import io.headgate.RateLimiter;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.rule.Charge;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.store.HoldStore;
import io.headgate.store.Store;
import io.headgate.store.UnsweptStores;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * One run of {@link ReservationScenario}: the clients, their messages and the instances, in virtual
 * time. What a client does follows from its arrival alone, so that removing others changes nothing.
 */
final class ReservationRun {
  private static final int COUNTERS = 1_000;
  private static final int ATTEMPTS = 5;
  private static final int LOST_PERMILLE = 100;
  private static final int DUPLICATED_PERMILLE = 100;
  private static final int LATE_PERMILLE = 50;

  /** Exceeds ten minutes, after which a reservation is unknown. */
  private static final long LATEST = 700 * Workload.SECOND;

  /** The attribute of an arrival that holds permits instead of reserving them. */
  static final String HOLDER = "holder";

  private record Action(long at, long order, Runnable action) implements Comparable<Action> {
    @Override
    public int compareTo(Action other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private final RunScript script;
  private final boolean tracing;
  private final List<String> history = new ArrayList<>();
  private final PriorityQueue<Action> queue = new PriorityQueue<>();
  private final List<RateLimiter> instances = new ArrayList<>();
  private final long[] downUntil;
  private final Store store;
  private final ReservationModel model;
  private long now = World.START;
  private long orders;
  private long steps;

  ReservationRun(RunScript script, UnaryOperator<Store> mutation, boolean tracing) {
    this.script = script;
    this.tracing = tracing;
    this.downUntil = new long[script.nodes()];
    var rules = script.ruleSets().getFirst();
    this.store = mutation.apply(UnsweptStores.create(() -> now, COUNTERS));
    for (int i = 0; i < script.nodes(); i++) {
      instances.add(RateLimiter.with(store, rules, () -> now));
    }
    this.model = new ReservationModel(rules);
  }

  Scenario.Result run() {
    for (var event : script.events()) {
      switch (event) {
        case Event.Arrival arrival -> {
          if (arrival.subject().containsKey(HOLDER)) new Holder(arrival).start();
          else new Client(arrival).start();
        }
        case Event.Crash crash ->
            at(
                World.START + crash.at(),
                () ->
                    downUntil[crash.node()] =
                        Math.max(downUntil[crash.node()], now + crash.downFor()));
        case Event.Change other -> throw unexpected(other);
        case Event.Pause other -> throw unexpected(other);
        case Event.Cut other -> throw unexpected(other);
        case Event.NetworkFault other -> throw unexpected(other);
        case Event.Outage other -> throw unexpected(other);
        case Event.OwnerChange other -> throw unexpected(other);
      }
    }
    sweepLater();
    while (model.failure() == null) {
      var next = queue.poll();
      if (next == null || next.at > World.START + script.end()) break;
      now = next.at;
      steps++;
      next.action.run();
    }
    if (model.failure() == null) model.ended(now, instances.getFirst());
    for (var instance : instances) instance.close();
    if (model.failure() != null) note("FAILED: " + model.failure());
    return new Scenario.Result(model.failure(), steps, history);
  }

  private static IllegalArgumentException unexpected(Event event) {
    return new IllegalArgumentException("not an event of this scenario: " + event);
  }

  private void at(long time, Runnable action) {
    queue.add(new Action(Math.max(time, now), orders++, action));
  }

  private void note(String what) {
    if (!tracing) return;
    long since = now - World.START;
    history.add("%4d.%06d  %s".formatted(since / 1_000_000, since % 1_000_000, what));
  }

  /** An instance that is alive ends expired reservations, every second. */
  private void sweepLater() {
    at(
        now + Workload.SECOND,
        () -> {
          for (int i = 0; i < downUntil.length; i++) {
            if (downUntil[i] > now) continue;
            int ended = instances.get(i).reservations().expireDue().toCompletableFuture().join();
            model.expire(now, ended, instances.get(i));
            if (ended > 0) note("instance %d ends %d reservations".formatted(i, ended));
            break;
          }
          sweepLater();
        });
  }

  /**
   * An instance that holds permits of a team, spends some, and releases the rest. Its request may
   * be executed without a reply, and it may end without a release.
   */
  private final class Holder {
    private final Event.Arrival arrival;
    private final Dice dice;
    private final Charge charge;
    private final long holder;

    Holder(Event.Arrival arrival) {
      this.arrival = arrival;
      this.dice = Dice.of(script.seed(), 194, arrival.at(), arrival.node(), arrival.cost());
      var request = new Request(Subject.of(arrival.subject()), 1, Map.of("tokens", 1L));
      this.charge = script.ruleSets().getFirst().plan(request, 0, 0).charges().getFirst();
      this.holder = arrival.at(); // one hold each
    }

    void start() {
      at(World.START + arrival.at(), this::hold);
    }

    private void hold() {
      long lease = 1 + dice.below(2 * arrival.holdFor());
      var granted = send(new HoldRequest(holder, 1, Usage.NONE, 0, arrival.cost(), lease));
      note("hold %d of %s: %d".formatted(arrival.cost(), arrival.subject(), granted.held()));
      if (granted.held() == 0 || dice.oneIn(5)) return; // the reply is lost
      long spent = dice.oneIn(2) ? 0 : dice.below(granted.held() + 1);
      long releasedAt = now + dice.below(lease);
      at(
          now + dice.below(releasedAt - now + 1),
          () -> model.spend(now, arrival.subject(), spent, limiter()));
      if (dice.oneIn(4)) return; // ends without a release
      var usage = new Usage(spent, granted.held(), granted.until());
      at(
          releasedAt,
          () -> {
            send(new HoldRequest(holder, 2, usage, 0, 0, 1));
            note("%s has spent %d, and releases".formatted(arrival.subject(), spent));
          });
    }

    private RateLimiter limiter() {
      return instances.getFirst();
    }

    private HoldStore.Reply send(HoldRequest request) {
      var holds = store.holds().orElseThrow();
      return holds.hold(charge.withCost(0), request).toCompletableFuture().join();
    }
  }

  /** A client that reserves, updates, settles, and may end at any point. */
  private final class Client {
    private final Event.Arrival arrival;
    private final Dice dice;
    private final long begin;
    private final long actual;
    private final int updates;
    private final long diesAt;
    private int message;

    Client(Event.Arrival arrival) {
      this.arrival = arrival;
      this.dice = Dice.of(script.seed(), 191, arrival.at(), arrival.node(), arrival.cost());
      this.begin = World.START + arrival.at();
      this.actual = dice.oneIn(6) ? dice.below(2 * arrival.cost()) : dice.below(arrival.cost() + 1);
      this.updates = dice.index(4);
      this.diesAt =
          dice.oneIn(5) ? begin + dice.below(Math.max(1, arrival.holdFor())) : Long.MAX_VALUE;
    }

    void start() {
      var request = new Request(Subject.of(arrival.subject()), 1, Map.of("tokens", arrival.cost()));
      send(
          begin,
          limiter -> {
            var reservation = limiter.reserve(request);
            var made = model.reserve(now, request, reservation, limiter);
            note("reserve %d of %s: %s".formatted(arrival.cost(), arrival.subject(), made));
            return made;
          },
          made -> made.ifPresent(this::work),
          () -> {});
    }

    private void work(ReservationModel.Modelled made) {
      for (int i = 1; i <= updates; i++) {
        long used = actual * i / (updates + 1);
        long more = dice.oneIn(4) ? dice.below(arrival.cost() + 1) : 0;
        send(
            begin + arrival.holdFor() * i / (updates + 1),
            limiter -> {
              var costs = more == 0 ? Costs.NONE : Costs.of("tokens", more);
              var state = limiter.reservations().update(made.id, Costs.of("tokens", used), costs);
              model.update(now, made, used, more, state, limiter);
              note("update %s: used %d, more %d".formatted(made, used, more));
              return state;
            },
            state -> {},
            () -> {});
      }
      settle(made, begin + arrival.holdFor(), ATTEMPTS);
    }

    /** Repeats a settlement that had no reply. */
    private void settle(ReservationModel.Modelled made, long time, int attempts) {
      if (attempts == 0) return;
      send(
          time,
          limiter -> {
            var state = limiter.reservations().settle(made.id, Costs.of("tokens", actual));
            model.settle(now, made, actual, state, limiter);
            note("settle %s: %d".formatted(made, actual));
            return state;
          },
          state -> {},
          () -> settle(made, now + Workload.SECOND, attempts - 1));
    }

    /**
     * Sends a message, which may be lost, late, or delivered twice.
     *
     * @param executed is run by the instance, perhaps twice
     * @param replied receives the first result unless the reply is lost
     * @param lost is run if no reply arrives
     */
    private <T> void send(
        long time, Function<RateLimiter, T> executed, Consumer<T> replied, Runnable lost) {
      int node = (arrival.node() + (dice.oneIn(3) ? 1 : 0)) % instances.size();
      var luck = Dice.of(script.seed(), 192, arrival.at(), arrival.cost(), message++);
      long delay = luck.permille(LATE_PERMILLE) ? luck.below(LATEST) : luck.below(script.latency());
      boolean replyLost = luck.permille(LOST_PERMILLE);
      boolean requestLost = luck.permille(LOST_PERMILLE);
      long again = luck.permille(DUPLICATED_PERMILLE) ? luck.scale(Workload.MS, LATEST) : 0;
      at(
          time,
          () -> {
            if (now >= diesAt) return;
            if (!requestLost) {
              at(
                  now + delay,
                  () ->
                      execute(
                          node,
                          executed,
                          result -> {
                            if (!replyLost && now < diesAt) replied.accept(result);
                          }));
              if (again > 0) at(now + delay + again, () -> execute(node, executed, result -> {}));
            }
            boolean unanswered = requestLost || replyLost || downUntil[node] > now;
            if (unanswered) at(now + 2 * script.latency(), lost);
          });
    }

    private <T> void execute(int node, Function<RateLimiter, T> executed, Consumer<T> then) {
      if (downUntil[node] > now) return;
      then.accept(executed.apply(instances.get(node)));
    }
  }
}
