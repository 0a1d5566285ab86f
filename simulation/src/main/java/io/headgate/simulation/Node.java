package io.headgate.simulation;

import io.headgate.redis.SimulatedStore;
import io.headgate.rule.RuleSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;

/** One instance: the production stores with their own clocks, which drift and are skewed. */
final class Node {
  /** If no event follows for this long, background work runs less often. */
  private static final long QUIET_TIME = 5_000_000;

  private static final long QUIET_SYNC_INTERVAL = 1_000_000;

  private final World world;
  private final int number;
  private final List<Path> paths = new ArrayList<>();
  private final List<Runnable> delayed = new ArrayList<>();
  private final Map<Integer, Long> unavailableSince = new HashMap<>(); // by zone
  private SimulatedStore store;
  private int rules;
  private long generation;
  private long startedAt;
  private long drift;
  private long skew;
  private boolean alive;
  private boolean paused;
  private boolean expiring;
  private int unanswered;
  long lastFault = Long.MIN_VALUE / 2;

  @SuppressWarnings("NullAway.Init") // start() creates the store
  Node(World world, int number) {
    this.world = world;
    this.number = number;
    for (int shard = 0; shard < world.shards(); shard++) paths.add(new Path(world, this, shard));
    start();
  }

  void start() {
    generation++;
    alive = true;
    expiring = false;
    startedAt = world.now();
    unavailableSince.clear();
    var dice = Dice.of(world.seed(), 2, number, generation);
    drift =
        world.script().drift() == 0
            ? 0
            : dice.between(-world.script().drift(), world.script().drift());
    skew = dice.between(-200_000, 200_000);
    long start = dice.below(1_000_000_000);
    long self = generation;
    var environment =
        new SimulatedStore.Environment(
            wire(),
            this::after,
            () -> start + (monotonic() * 1_000),
            () -> world.now() + skew,
            world::instances,
            number * 1_000L + generation,
            new SplittableRandom(dice.below(Long.MAX_VALUE)));
    store =
        new SimulatedStore(
            environment, world.shards() > 1, world.script().deadline(), world.script().options());
    long interval = world.script().options().syncInterval().toNanos() / 1_000;
    world.at(world.now() + dice.below(interval), () -> sync(self, interval));
  }

  private long monotonic() {
    long passed = world.now() - startedAt;
    return passed + passed * drift / 1_000_000;
  }

  private CompletionStage<byte[]> send(int slot, byte[][] keys, byte[] argument) {
    if (!expiring) {
      expiring = true;
      expireLater(generation);
    }
    int zone = world.zoneOf(slot);
    if (world.shard(world.shardOf(slot)).dead) {
      unavailableSince.putIfAbsent(zone, world.now());
    } else {
      unavailableSince.remove(zone);
    }
    return path(world.shardOf(slot)).send(keys, argument);
  }

  private SimulatedStore.Wire wire() {
    return new SimulatedStore.Wire() {
      @Override
      public CompletionStage<byte[]> send(int slot, byte[][] keys, byte[] argument) {
        return Node.this.send(slot, keys, argument);
      }

      @Override
      public void announceReturn(String key) {
        world.announceReturn(key);
      }
    };
  }

  /**
   * Returns when this instance first sent a command to a zone whose server was down, in the outage
   * that began at {@code outage}; the current time, if it has sent none.
   */
  long unavailableSince(int slot, long outage) {
    long since = unavailableSince.getOrDefault(world.zoneOf(slot), world.now());
    return since < outage ? world.now() : since;
  }

  /** Notifies the instance that permits of a counter were returned. */
  void returned(String key) {
    run(() -> store.returned(key));
  }

  Path path(int shard) {
    return paths.get(shard);
  }

  private void sync(long self, long interval) {
    if (self != generation || !alive) return;
    run(store::sync);
    // A late timer changes nothing while no event is due, and makes the run cheaper.
    long next = world.quietFor() > QUIET_TIME ? Math.max(interval, QUIET_SYNC_INTERVAL) : interval;
    world.at(world.now() + next, () -> sync(self, interval));
  }

  void requestSent() {
    unanswered++;
  }

  void replyReceived() {
    unanswered--;
  }

  int unanswered() {
    return unanswered;
  }

  private void expireLater(long self) {
    long interval = Math.max(1_000, world.script().deadline().toNanos() / 8_000);
    world.at(
        world.now() + interval,
        () ->
            run(() -> {
              if (self != generation) return;
              store.expire();
              expiring = !store.isIdle();
              if (expiring) expireLater(self);
            }));
  }

  private void after(long micros, Runnable action) {
    long self = generation;
    world.at(
        world.now() + micros,
        () -> {
          if (self == generation) run(action);
        });
  }

  /** Runs an action in this process, after its resumption if it is paused. */
  void run(Runnable action) {
    if (!alive) return;
    if (paused) delayed.add(action);
    else action.run();
  }

  void crash() {
    alive = false;
    paused = false;
    generation++;
    delayed.clear();
    unanswered = 0;
    lastFault = world.now();
    for (var path : paths) path.reset();
  }

  void pause() {
    paused = true;
    lastFault = world.now();
    paths.forEach(Path::update);
  }

  /** Continues after a pause. Delayed actions run at once, in either order. */
  void resume() {
    if (!paused) return;
    paused = false;
    lastFault = world.now();
    paths.forEach(Path::update);
    var actions = new ArrayList<>(delayed);
    delayed.clear();
    var dice = Dice.of(world.seed(), 3, number, world.now());
    if (dice.oneIn(2)) Collections.reverse(actions);
    for (var action : actions) run(action);
  }

  boolean isHealthyFor(long micros) {
    return alive && !paused && world.now() - lastFault >= micros;
  }

  boolean isPaused() {
    return paused;
  }

  long faultyFor(int shard) {
    return paths.get(shard).faultyFor();
  }

  boolean isAlive() {
    return alive;
  }

  SimulatedStore store() {
    return store;
  }

  int number() {
    return number;
  }

  long generation() {
    return generation;
  }

  RuleSet rules() {
    return world.script().ruleSets().get(rules);
  }

  int ruleSet() {
    return rules;
  }

  void change(int other) {
    rules = other;
  }

  long wallClock() {
    return world.now() + skew;
  }
}
