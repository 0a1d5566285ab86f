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

/** One instance: the real stores, with clocks of their own. */
final class Node {
  private static final long QUIET = 5_000_000;
  private static final long LATEST = 1_000_000;

  private final World world;
  private final int number;
  private final List<Path> paths = new ArrayList<>();
  private final List<Runnable> heldUp = new ArrayList<>();
  private final Map<Integer, Long> unavailableSince = new HashMap<>(); // by zone
  private SimulatedStore store;
  private int rules;
  private long generation;
  private long startedAt;
  private long drift;
  private long skew;
  private boolean alive;
  private boolean paused;
  private boolean watching;
  private int unanswered;
  long lastTrouble = Long.MIN_VALUE / 2;

  @SuppressWarnings("NullAway.Init") // start() makes the store
  Node(World world, int number) {
    this.world = world;
    this.number = number;
    for (int shard = 0; shard < world.shards(); shard++) paths.add(new Path(world, this, shard));
    start();
  }

  void start() {
    generation++;
    alive = true;
    watching = false;
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
    var here =
        new SimulatedStore.Surroundings(
            wire(),
            this::after,
            () -> start + (steady() * 1_000),
            () -> world.now() + skew,
            world::instances,
            number * 1_000L + generation,
            new SplittableRandom(dice.below(Long.MAX_VALUE)));
    store =
        new SimulatedStore(
            here, world.shards() > 1, world.script().deadline(), world.script().options());
    long every = world.script().options().syncInterval().toNanos() / 1_000;
    world.at(world.now() + dice.below(every), () -> sync(self, every));
  }

  private long steady() {
    long passed = world.now() - startedAt;
    return passed + passed * drift / 1_000_000;
  }

  private CompletionStage<byte[]> send(int slot, byte[][] keys, byte[] argument) {
    if (!watching) {
      watching = true;
      watch(generation);
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
   * When this instance first sent a command to a zone whose server was down, in the outage that
   * began at {@code outage}; now, if it has sent none.
   */
  long unavailableSince(int slot, long outage) {
    long since = unavailableSince.getOrDefault(world.zoneOf(slot), world.now());
    return since < outage ? world.now() : since;
  }

  /** Permits of a counter were given back by some instance. */
  void returned(String key) {
    run(() -> store.returned(key));
  }

  Path path(int shard) {
    return paths.get(shard);
  }

  private void sync(long self, long every) {
    if (self != generation || !alive) return;
    run(store::sync);
    // Nothing comes for a while: a timer that is late then changes nothing but the run's cost.
    long next = world.quietFor() > QUIET ? Math.max(every, LATEST) : every;
    world.at(world.now() + next, () -> sync(self, every));
  }

  void asked() {
    unanswered++;
  }

  void answered() {
    unanswered--;
  }

  int unanswered() {
    return unanswered;
  }

  private void watch(long self) {
    long every = Math.max(1_000, world.script().deadline().toNanos() / 8_000);
    world.at(
        world.now() + every,
        () ->
            run(() -> {
              if (self != generation) return;
              store.expire();
              watching = !store.isIdle();
              if (watching) watch(self);
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

  /** Runs something in this process: now, or when it goes on. */
  void run(Runnable action) {
    if (!alive) return;
    if (paused) heldUp.add(action);
    else action.run();
  }

  void crash() {
    alive = false;
    paused = false;
    generation++;
    heldUp.clear();
    unanswered = 0;
    lastTrouble = world.now();
    for (var path : paths) path.reset();
  }

  void pause() {
    paused = true;
    lastTrouble = world.now();
    paths.forEach(Path::update);
  }

  /** Everything that was due comes at once, in any order. */
  void resume() {
    if (!paused) return;
    paused = false;
    lastTrouble = world.now();
    paths.forEach(Path::update);
    var late = new ArrayList<>(heldUp);
    heldUp.clear();
    var dice = Dice.of(world.seed(), 3, number, world.now());
    if (dice.oneIn(2)) Collections.reverse(late);
    for (var action : late) run(action);
  }

  boolean isWellFor(long micros) {
    return alive && !paused && world.now() - lastTrouble >= micros;
  }

  boolean isPaused() {
    return paused;
  }

  long troubledFor(int shard) {
    return paths.get(shard).troubledFor();
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
