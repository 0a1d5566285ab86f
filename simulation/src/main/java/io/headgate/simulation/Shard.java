package io.headgate.simulation;

import io.headgate.limit.ScriptStates;
import io.headgate.limit.State;
import io.headgate.redis.SimulatedScript;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** One server: states, a clock, and what a replica may not have heard yet. */
final class Shard implements SimulatedScript.Memory {
  private static final long REMEMBERED = 5_000_000;
  private static final long SERVICE = 3; // µs for a batch, and as much again for each key

  private record Write(long at, String key, State before, long charged, long settled) {}

  private final World world;
  private final int number;
  private final long skew;
  private final Map<String, State> states = new HashMap<>();
  private final ArrayDeque<Write> writes = new ArrayDeque<>();
  private final Map<String, Long> charged = new HashMap<>();
  private final Map<String, Long> forgotten = new HashMap<>();
  private final Map<String, Long> heldAtCrash = new HashMap<>();
  private final List<Runnable> stopped = new ArrayList<>();
  private long busyUntil;
  boolean dead;
  boolean silent;
  long lastTrouble = Long.MIN_VALUE / 2;

  Shard(World world, int number, long skew) {
    this.world = world;
    this.number = number;
    this.skew = skew;
  }

  /** The time on this server. */
  long clock() {
    return world.now() + skew;
  }

  /** True time, as this server's clock shows it. */
  long clock(long time) {
    return time + skew;
  }

  /** Runs something when the server gets to it; a stopped one does when it goes on. */
  void whenFree(int keys, Runnable work) {
    if (dead) {
      if (silent) stopped.add(work);
      return;
    }
    busyUntil = Math.max(busyUntil, world.now()) + SERVICE * (1 + keys);
    if (busyUntil <= world.now() + SERVICE * (1 + keys)) work.run();
    else world.at(busyUntil, work);
  }

  void stop(boolean silently) {
    dead = true;
    silent = silently;
    lastTrouble = world.now();
  }

  void start(long lostTail) {
    dead = false;
    lastTrouble = world.now();
    long since = world.now() - lostTail;
    if (lostTail > 0)
      states.forEach((key, state) -> heldAtCrash.merge(key, ScriptStates.held(state), Long::sum));
    while (lostTail > 0 && !writes.isEmpty() && writes.getLast().at >= since) {
      var write = writes.removeLast();
      states.put(write.key, write.before);
      forgotten.merge(write.key, write.settled, Long::sum);
      if (write.charged != 0) {
        charged.merge(write.key, -write.charged, Long::sum);
        forgotten.merge(write.key, write.charged, Long::sum);
      }
    }
    var late = List.copyOf(stopped);
    stopped.clear();
    if (silent && lostTail == 0) late.forEach(Runnable::run);
  }

  @Override
  public State get(String key) {
    return states.getOrDefault(key, State.FRESH);
  }

  @Override
  public void put(String key, State state) {
    writes.add(new Write(world.now(), key, get(key), 0, 0));
    states.put(key, state);
    while (writes.getFirst().at < world.now() - REMEMBERED) writes.removeFirst();
  }

  @Override
  public void charged(String key, long cost) {
    charged.merge(key, cost, Long::sum);
    writes.add(new Write(world.now(), key, get(key), cost, 0));
  }

  @Override
  public void settled(String key, long spent) {
    if (spent > 0) writes.add(new Write(world.now(), key, get(key), 0, spent));
  }

  /** What was charged to a counter in all, less what was given back. */
  long charged(String key) {
    return charged.getOrDefault(key, 0L);
  }

  /** What was charged and then forgotten by a failover. */
  long forgotten(String key) {
    return forgotten.getOrDefault(key, 0L);
  }

  /** What instances held when a server died of which the next one does not know all. */
  long heldAtCrash(String key) {
    return heldAtCrash.getOrDefault(key, 0L);
  }

  @Override
  public void noted(Supplier<String> operation) {
    world.note(() -> "shard " + number + ": " + operation.get());
  }
}
