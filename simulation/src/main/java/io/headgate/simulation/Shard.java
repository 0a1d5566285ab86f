package io.headgate.simulation;

import io.headgate.internal.script.ScriptInterpreter;
import io.headgate.limit.ScriptStates;
import io.headgate.limit.State;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One server: its states, its clock, and the recent writes that a failover may lose. */
class Shard implements ScriptInterpreter.Memory {
  private static final long WRITE_HISTORY = 5_000_000;
  private static final long SERVICE_TIME = 3; // µs per batch and per key

  private record Write(long at, String key, State before, long charged, long settled) {}

  final World world;
  final int number;
  private final long skew;
  private final Map<String, State> states = new HashMap<>();
  private final ArrayDeque<Write> writes = new ArrayDeque<>();
  private final Map<String, Long> charged = new HashMap<>();
  private final Map<String, Long> lostCharges = new HashMap<>();
  private final Map<String, Long> heldAtFailover = new HashMap<>();
  final List<Runnable> suspended = new ArrayList<>();
  private long busyUntil;
  boolean dead;
  boolean unresponsive;
  long lastFault = Long.MIN_VALUE / 2;

  Shard(World world, int number, long skew) {
    this.world = world;
    this.number = number;
    this.skew = skew;
  }

  /** Returns the time of this server's clock. */
  long clock() {
    return world.now() + skew;
  }

  /** Converts virtual time to the time of this server's clock. */
  long clock(long time) {
    return time + skew;
  }

  /** Runs work when the server is free; a stopped process runs it when it continues. */
  void whenFree(int keys, Runnable work) {
    if (dead) {
      if (unresponsive) suspended.add(work);
      return;
    }
    busyUntil = Math.max(busyUntil, world.now()) + SERVICE_TIME * (1 + keys);
    if (busyUntil <= world.now() + SERVICE_TIME * (1 + keys)) work.run();
    else world.at(busyUntil, work);
  }

  /**
   * Executes a batch of an instance.
   *
   * @param reply is called with the result, unless the server loses it
   */
  void execute(int node, byte[][] keys, byte[] argument, Consumer<World.Execution> reply) {
    reply.accept(world.run(this, keys, argument));
  }

  void stop(boolean unresponsive) {
    dead = true;
    this.unresponsive = unresponsive;
    lastFault = world.now();
  }

  void start(long lostTail) {
    dead = false;
    lastFault = world.now();
    long since = world.now() - lostTail;
    if (lostTail > 0)
      states.forEach(
          (key, state) -> heldAtFailover.merge(key, ScriptStates.held(state), Long::sum));
    while (lostTail > 0 && !writes.isEmpty() && writes.getLast().at >= since) {
      var write = writes.removeLast();
      states.put(write.key, write.before);
      lostCharges.merge(write.key, write.settled, Long::sum);
      if (write.charged != 0) {
        charged.merge(write.key, -write.charged, Long::sum);
        lostCharges.merge(write.key, write.charged, Long::sum);
      }
    }
    var late = List.copyOf(suspended);
    suspended.clear();
    if (unresponsive && lostTail == 0) late.forEach(Runnable::run);
  }

  @Override
  public State get(String key) {
    return states.getOrDefault(key, State.FRESH);
  }

  @Override
  public void put(String key, State state) {
    writes.add(new Write(world.now(), key, get(key), 0, 0));
    states.put(key, state);
    while (writes.getFirst().at < world.now() - WRITE_HISTORY) writes.removeFirst();
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

  /** Returns the permits charged to a counter, less those returned. */
  long charged(String key) {
    return charged.getOrDefault(key, 0L);
  }

  /** Returns the charges of a counter that failovers lost. */
  long lostCharges(String key) {
    return lostCharges.getOrDefault(key, 0L);
  }

  /** Returns the permits that instances held at failovers that lost writes. */
  long heldAtFailover(String key) {
    return heldAtFailover.getOrDefault(key, 0L);
  }

  @Override
  public void noted(Supplier<String> operation) {
    world.note(() -> "shard " + number + ": " + operation.get());
  }
}
