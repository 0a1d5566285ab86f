package io.headgate.simulation;

import io.headgate.internal.script.OwnerScript;
import io.headgate.limit.ReturnHistory;
import io.headgate.limit.State;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The counters of one part of a cluster: one member owns them, another has a copy. The owner
 * replies when the copy has the resulting states. Each owner has a clock of its own.
 *
 * <p>It evaluates batches with the class that members use. The messages between owner and copy, and
 * the detection of failures, are simulated.
 */
final class OwnedShard extends Shard {
  /** A wrong protocol, which the simulation must find. */
  enum Defect {
    NONE,
    /** The owner evaluates by its clock, even if the counter was changed later than that. */
    CLOCK_RUNS_BACKWARDS,
    /** The copy evaluates the batch itself, by its own clock. */
    COPY_EVALUATES_AGAIN,
    /** The owner replies before the copy has the states. */
    REPLY_BEFORE_COPY,
    /** An owner that is separated from the majority goes on. */
    MINORITY_DECIDES
  }

  private record Stored(State state, long latest) {}

  private static final Stored NOTHING = new Stored(State.FRESH, Long.MIN_VALUE);
  private static final long MAX_SKEW = 2_000_000;

  private final Defect defect;
  private final OwnerScript script = new OwnerScript();
  private final Map<String, ReturnHistory> returned = new HashMap<>();
  private Map<String, Stored> owned = new HashMap<>();
  private Map<String, Stored> copy = new HashMap<>();
  private Map<String, Stored> abandoned = new HashMap<>(); // of an owner without the majority
  private long ownerSkew;
  private long copySkew;
  private long owners; // changes with each owner
  private long minority; // instances that reach only the isolated owner, by their bits
  private boolean isolated; // and not replaced yet

  OwnedShard(World world, int number, long skew, Defect defect) {
    super(world, number, skew);
    this.defect = defect;
    this.ownerSkew = skew;
    this.copySkew = nextSkew();
  }

  private long nextSkew() {
    return Dice.of(world.seed(), 5, number, owners).between(-MAX_SKEW, MAX_SKEW);
  }

  @Override
  long clock() {
    return world.now() + ownerSkew;
  }

  void change(Event.OwnerChange change) {
    if (dead || isolated || minority != 0) return; // one failure at a time
    switch (change.kind()) {
      case CRASH -> {
        owners++; // replies that wait for the copy are lost
        suspendUntil(change, this::takeOver);
      }
      case HAND_OVER -> suspendUntil(change, this::handOver);
      case ISOLATION -> isolate(change);
    }
  }

  private void suspendUntil(Event.OwnerChange change, Runnable action) {
    dead = true;
    unresponsive = true;
    world.at(
        world.now() + change.detectedAfter(),
        () -> {
          dead = false;
          action.run();
          resume();
        });
  }

  /** Makes the member with the copy the owner; it copies its states to a third. */
  private void takeOver() {
    owners++;
    owned = copy;
    copy = new HashMap<>(owned);
    ownerSkew = copySkew;
    copySkew = nextSkew();
  }

  /** Makes another member the owner; messages between owner and copy have arrived before. */
  private void handOver() {
    ownerSkew = Dice.of(world.seed(), 6, number, world.now()).between(-MAX_SKEW, MAX_SKEW);
  }

  private void isolate(Event.OwnerChange change) {
    isolated = true;
    minority = change.minority();
    owners++;
    world.at(
        world.now() + change.detectedAfter(),
        () -> {
          isolated = false;
          abandoned = owned;
          takeOver();
          resume();
        });
    long healed = world.now() + Math.max(change.detectedAfter(), change.lasts());
    world.at(healed + 1, () -> minority = 0);
  }

  private void resume() {
    var late = List.copyOf(suspended);
    suspended.clear();
    late.forEach(Runnable::run);
  }

  @Override
  void execute(int node, byte[][] keys, byte[] argument, Consumer<World.Execution> reply) {
    if (dead) {
      suspended.add(() -> execute(node, keys, argument, reply));
      return;
    }
    boolean separated = (minority >> node & 1) == 1;
    if (separated && !isolated) {
      // The majority has another owner by now. This one does not decide.
      if (defect == Defect.MINORITY_DECIDES) reply.accept(evaluate(keys, argument, abandoned));
      return;
    }
    if (isolated && !separated) {
      suspended.add(() -> execute(node, keys, argument, reply));
      return;
    }
    var changes = new HashMap<String, Stored>();
    var execution = evaluate(keys, argument, owned, changes);
    if (isolated) {
      boolean wrong = defect == Defect.REPLY_BEFORE_COPY || defect == Defect.MINORITY_DECIDES;
      if (wrong) reply.accept(execution);
      return; // the copy can't be reached
    }
    if (defect == Defect.REPLY_BEFORE_COPY) reply.accept(execution);
    replicate(
        keys,
        argument,
        changes,
        () -> {
          if (defect != Defect.REPLY_BEFORE_COPY) reply.accept(execution);
        });
  }

  private void replicate(
      byte[][] keys, byte[] argument, Map<String, Stored> changes, Runnable replied) {
    long owner = owners;
    long travel = Math.max(1, world.latency() / 2);
    world.at(
        world.now() + travel,
        () -> {
          if (owner != owners) return;
          if (defect == Defect.COPY_EVALUATES_AGAIN) {
            evaluateAt(world.now() + copySkew, keys, argument, copy, copy, false);
          } else {
            copy.putAll(changes);
          }
          world.at(
              world.now() + travel,
              () -> {
                if (owner == owners) replied.run();
              });
        });
  }

  private World.Execution evaluate(
      byte[][] keys, byte[] argument, Map<String, Stored> states, Map<String, Stored> changes) {
    var reply = evaluateAt(clock(), keys, argument, states, changes, true);
    states.putAll(changes);
    return world.executed(reply, OwnerScript.timeOf(reply));
  }

  private World.Execution evaluate(byte[][] keys, byte[] argument, Map<String, Stored> states) {
    return evaluate(keys, argument, states, new HashMap<>());
  }

  private byte[] evaluateAt(
      long clock,
      byte[][] keys,
      byte[] argument,
      Map<String, Stored> states,
      Map<String, Stored> changes,
      boolean counted) {
    var names = new String[keys.length];
    for (int i = 0; i < keys.length; i++) names[i] = new String(keys[i], StandardCharsets.UTF_8);
    return script.run(
        names,
        argument,
        clock,
        new OwnerScript.Counters() {
          @Override
          public OwnerScript.OwnedCounter counter(String name) {
            return new Entry(name, states.getOrDefault(name, NOTHING), changes);
          }

          @Override
          public OwnerScript.OwnedReturns returns(String name) {
            return new Returns(name, counted);
          }

          @Override
          public void charged(String key, long cost) {
            if (counted) OwnedShard.this.charged(key, cost);
          }

          @Override
          public void noted(Supplier<String> operation) {
            OwnedShard.this.noted(operation);
          }
        });
  }

  /** The returns to one bucket, which no change of owners loses. */
  private final class Returns implements OwnerScript.OwnedReturns {
    private final String name;
    private final boolean stores;

    Returns(String name, boolean stores) {
      this.name = name;
      this.stores = stores;
    }

    @Override
    public ReturnHistory returns() {
      return returned.getOrDefault(name, ReturnHistory.NONE);
    }

    @Override
    public void store(ReturnHistory next, long now, boolean given) {
      if (stores) returned.put(name, next);
    }
  }

  private final class Entry implements OwnerScript.OwnedCounter {
    private final String name;
    private final Stored stored;
    private final Map<String, Stored> changes;

    Entry(String name, Stored stored, Map<String, Stored> changes) {
      this.name = name;
      this.stored = stored;
      this.changes = changes;
    }

    @Override
    public long latest() {
      return defect == Defect.CLOCK_RUNS_BACKWARDS ? Long.MIN_VALUE : stored.latest;
    }

    @Override
    public State state() {
      return stored.state;
    }

    @Override
    public void store(State next, long now, long freshAt) {
      changes.put(name, new Stored(next, now));
    }

    @Override
    public void storeForTesting(State next, long now) {
      throw new UnsupportedOperationException("batches have no time of their own");
    }
  }
}
