package io.headgate.redis;

import io.headgate.internal.consistency.ConsistencyStore;
import io.headgate.internal.consistency.FailureDomains;
import io.headgate.internal.consistency.ManualConsistencyStore;
import io.headgate.internal.outage.ManualReports;
import io.headgate.internal.outage.VirtualProber;
import io.headgate.internal.script.CounterKeys;
import io.headgate.internal.script.FailureDomainStore;
import io.headgate.internal.script.ScriptExecutor;
import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.ConsistencyOptions;
import io.headgate.store.OutageListener;
import io.headgate.store.PlanResult;
import io.headgate.store.Ticker;
import io.headgate.store.UnsweptStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The store of one instance over a simulated network, without threads. It has the layers of {@link
 * RedisStore}: circuit breakers, consistency modes, cached denials and batches.
 */
public final class SimulatedStore {
  /** The network to which batches are sent. */
  public interface Wire {
    /** Sends a batch to the server of a slot. */
    CompletionStage<byte[]> send(int slot, byte[][] keys, byte[] argument);

    /** Notifies all instances that permits of a counter were given back. */
    void announceReturn(String key);
  }

  /**
   * The environment of one instance.
   *
   * @param nanos its monotonic clock
   * @param ticker its wall clock
   */
  public record Environment(
      Wire wire,
      VirtualProber.Timer timer,
      LongSupplier nanos,
      Ticker ticker,
      IntSupplier instances,
      long holder,
      RandomGenerator random) {}

  /** The number of slots of a cluster. */
  public static final int SLOTS = 16_384;

  private static final CounterKeys KEYS = new CounterKeys("headgate:");
  private static final int CLUSTER_ZONES = 32;

  private final ScriptExecutor engine;
  private final ConsistencyStore consistency;
  private final FailureDomainStore zones;
  private final List<ManualReports> reports = new ArrayList<>();

  /**
   * Creates the store of an instance.
   *
   * @param cluster whether there are several servers
   * @param deadline the deadline of a command
   */
  public SimulatedStore(
      Environment env, boolean cluster, Duration deadline, ConsistencyOptions options) {
    var link = new SimulatedConnection(env.wire, cluster);
    this.engine =
        ScriptExecutor.forTesting(link, KEYS, deadline, env.ticker, env.holder, env.nanos);
    int count = cluster ? CLUSTER_ZONES : 1;
    var domains =
        new FailureDomains(count, key -> FailureDomainStore.domainOf(link.hashSlot(key), count));
    this.consistency =
        ManualConsistencyStore.create(
            engine, engine, KEYS::of, env.instances, domains, options, env.nanos, env.ticker);
    consistency.subscribed(); // no scenario resets a counter
    this.zones =
        new FailureDomainStore(
            count,
            consistency,
            UnsweptStores.create(env.ticker, 4_096),
            link::hashSlot,
            new OutageListener() {},
            (probe, listener, local, answers) -> {
              var zone =
                  VirtualProber.around(
                      consistency,
                      env.ticker,
                      env.instances,
                      local,
                      answers,
                      listener,
                      engine::chargeSpent,
                      env.timer,
                      env.random,
                      () -> engine.decideAsync(probe));
              reports.add(new ManualReports(zone));
              return zone;
            });
  }

  /** Returns the name of a counter in Redis. */
  public static String key(Counter counter, String key) {
    return KEYS.of(counter, key);
  }

  /** Returns the slot of a counter's key. */
  public static int slotOf(String key) {
    return io.lettuce.core.cluster.SlotHash.getSlot(CounterKeys.tag(key));
  }

  /** Returns the failure domain of a slot of a cluster. */
  public static int zoneOf(int slot) {
    return FailureDomainStore.domainOf(slot, CLUSTER_ZONES);
  }

  /** Returns whether a circuit breaker of this instance is open. */
  public boolean isUnavailable() {
    return zones.isUnavailable();
  }

  /** Decides a plan, in the store or by the rules' failure policies. */
  public CompletionStage<PlanResult> decide(Plan plan) {
    return zones.decideAsync(plan);
  }

  /** Releases a slot without retries. */
  public CompletionStage<Boolean> release(Charge charge) {
    return engine.releaseAsync(charge);
  }

  /** Releases a slot after a call, without retries. */
  public CompletionStage<Boolean> release(Charge charge, CompletedCall call) {
    return engine.releaseAsync(charge, call);
  }

  /** Invalidates cached denials of a counter whose permits were returned. */
  public void returned(String key) {
    consistency.permitsReturned(key);
  }

  /** Runs one round of reports, renewals and sweeps. */
  public void sync() {
    ManualConsistencyStore.sync(consistency);
    reports.forEach(ManualReports::run);
  }

  /** Fails the commands whose deadline has passed. */
  public void expire() {
    engine.sweep();
  }

  /** Returns whether no command awaits a reply. */
  public boolean isIdle() {
    return engine.isIdle();
  }
}
