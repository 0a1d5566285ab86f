package io.headgate.simulation;

import io.headgate.internal.consistency.HoldingStore;
import io.headgate.internal.region.RegionShares;
import io.headgate.internal.region.RegionStore;
import io.headgate.internal.region.ShareTiming;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.rule.Charge;
import io.headgate.rule.Request;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.simulation.AdmissionBounds.Admitted;
import io.headgate.store.MemoryStore;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.headgate.store.UnsweptStores;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Regions, their instances and home, in virtual time. The shares, the store of a region and the
 * arithmetic of holds are the real classes. The network loses, delays and reorders messages.
 */
final class RegionWorld {
  private static final long TIMEOUT = 1_000_000;
  private static final long SYNC = 50_000;
  private static final int HEARTBEAT = 40; // in ticks
  private static final long START = 1_700_000_000_000_000L;

  /** The link of an instance to home. Each direction can be cut by itself. */
  static final class Link {
    long requestsCutUntil;
    long repliesCutUntil;
    long delay;
  }

  /** One instance, with a monotonic clock that drifts. */
  private final class Instance implements HoldingStore {
    private final int region;
    private final int index;
    private final double drift;
    private final long holder;
    private final MemoryStore unusedHome = UnsweptStores.create(() -> now, 1_000);
    private final RegionShares shares;
    private final RegionStore store;
    private long order;
    private long ticks;
    private boolean alive = true;

    Instance(int region, int index, long generation) {
      this.region = region;
      this.index = index;
      var dice = Dice.of(seed, 900, index, generation);
      this.drift = 1 + (dice.below(801) - 400) / 1e6;
      this.holder = index * 1_000L + generation + 1;
      this.shares = new RegionShares(this, timing, () -> (long) ((now - START) * 1_000 * drift));
      this.store =
          new RegionStore(
              regionName(region), stores.get(region), unusedHome, shares, Optional.empty());
      schedule(SYNC, this::sync);
    }

    private void sync() {
      if (!alive) return;
      shares.sync();
      schedule(SYNC, this::sync);
      if (++ticks % HEARTBEAT == 0 && now >= links.get(region).requestsCutUntil) {
        schedule(links.get(region).delay, () -> home.touch(now));
      }
    }

    @Override
    public CompletionStage<HoldResult> hold(Charge charge, Usage usage, long want, long lease) {
      var request = new HoldRequest(holder, ++order, usage, charge.cost(), want, lease);
      var reply = new CompletableFuture<HoldResult>();
      messages++;
      var link = links.get(region);
      var dice = Dice.of(seed, 901, index, order, holder);
      schedule(
          TIMEOUT,
          () -> reply.completeExceptionally(new StoreException(Kind.TIMEOUT, "no reply", null)));
      if (now < link.requestsCutUntil || dice.permille(lossPermille)) return reply;
      schedule(
          link.delay + dice.below(link.delay / 4 + 1),
          () -> arrive(charge, request, reply, link, dice));
      return reply;
    }

    private void arrive(
        Charge charge,
        HoldRequest request,
        CompletableFuture<HoldResult> reply,
        Link link,
        Dice dice) {
      if (!home.isAlive()) return;
      HoldResult result = null;
      StoreException refused = null;
      try {
        result = home.execute(charge, request, now);
      } catch (StoreException e) {
        refused = e;
      }
      var granted = result;
      var problem = refused;
      if (now < link.repliesCutUntil || dice.permille(lossPermille)) return;
      schedule(
          link.delay + dice.below(link.delay / 4 + 1),
          () -> {
            if (!alive) return;
            if (granted != null) reply.complete(granted);
            else if (problem != null) reply.completeExceptionally(problem);
          });
    }

    @Override
    public CompletionStage<ReportResult> report(Charge charge) {
      throw new UnsupportedOperationException("shares are reported by holds");
    }
  }

  private record Event(long at, long number, Runnable action) {}

  private final long seed;
  private final ShareTiming timing;
  private final PriorityQueue<Event> queue =
      new PriorityQueue<>(
          (a, b) -> a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.number, b.number));
  private final List<Link> links = new ArrayList<>();
  private final List<MemoryStore> stores = new ArrayList<>();
  private final List<Instance> instances = new ArrayList<>();
  private final Map<String, List<Admitted>> admitted = new HashMap<>();
  final SimulatedHome home;
  private long now = START;
  private long numbers;
  private long generation;
  long messages;
  long steps;
  long denied;
  long passed;
  int lossPermille;
  RuleSet rules;

  RegionWorld(
      long seed, int regions, int perRegion, RuleSet rules, ShareTiming timing, boolean guarded) {
    this.seed = seed;
    this.rules = rules;
    this.timing = timing;
    this.home = new SimulatedHome(timing.maxLease().toNanos() / 1_000, guarded);
    for (int r = 0; r < regions; r++) {
      var link = new Link();
      link.delay = Dice.of(seed, 902, r).any(1_000L, 40_000L, 75_000L);
      links.add(link);
      stores.add(UnsweptStores.create(() -> now, 10_000));
      for (int i = 0; i < perRegion; i++) {
        instances.add(new Instance(r, instances.size(), generation));
      }
    }
  }

  static String regionName(int region) {
    return "r" + region;
  }

  Link link(int region) {
    return links.get(region);
  }

  /** Returns the time since the start, in microseconds. */
  long time() {
    return now - START;
  }

  long absolute(long time) {
    return START + time;
  }

  /** Runs an action at a time since the start. */
  void at(long time, Runnable action) {
    queue.add(new Event(START + time, numbers++, action));
  }

  private void schedule(long delay, Runnable action) {
    queue.add(new Event(now + delay, numbers++, action));
  }

  /** Replaces the instances of a region, which lose their shares. */
  void crash(int region) {
    generation++;
    for (int i = 0; i < instances.size(); i++) {
      var old = instances.get(i);
      if (old.region != region) continue;
      old.alive = false;
      instances.set(i, new Instance(region, i, generation));
    }
  }

  /** Sends a request to an instance. */
  void request(int instance, String user, long cost) {
    var node = instances.get(instance);
    var plan = rules.plan(Request.of(Subject.of("user", user), cost), now, 0);
    var unused =
        node.store
            .decideAsync(plan)
            .whenComplete((result, problem) -> {
              if (!node.alive) return;
              if (problem == null && plan.allows(result.outcomes())) {
                passed += cost;
                admitted
                    .computeIfAbsent(user, name -> new ArrayList<>())
                    .add(new Admitted(now, cost));
              } else {
                denied += cost;
              }
            });
  }

  /** Runs all events up to a time since the start. */
  void runUntil(long time) {
    while (!queue.isEmpty() && queue.element().at <= START + time) {
      var event = queue.remove();
      now = event.at;
      event.action.run();
      steps++;
    }
    now = START + time;
  }

  /** Returns the admissions by user. */
  Map<String, List<Admitted>> admitted() {
    return admitted;
  }

  /** Returns the permits that all instances can spend. */
  long held() {
    long sum = 0;
    for (var node : instances) {
      for (var rule : node.shares.byRule().values()) sum += rule.held();
    }
    return sum;
  }
}
