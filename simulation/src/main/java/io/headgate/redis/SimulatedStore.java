package io.headgate.redis;

import io.headgate.consistency.ConsistencyOptions;
import io.headgate.consistency.ConsistencyStore;
import io.headgate.consistency.FailureDomains;
import io.headgate.consistency.ManualConsistencyStore;
import io.headgate.outage.ManualReports;
import io.headgate.outage.OutageListener;
import io.headgate.outage.VirtualProber;
import io.headgate.redis.internal.cluster.FailureDomainStore;
import io.headgate.redis.internal.connection.RedisKeys;
import io.headgate.redis.internal.script.DenialCache;
import io.headgate.redis.internal.script.ScriptCommand;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.PlanResult;
import io.headgate.store.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The stores of one instance as {@link RedisStore} stacks them, over a simulated network and
 * without threads: circuit breakers, consistency modes, cached denials, batches.
 */
public final class SimulatedStore {
  /** Where batches are sent. */
  public interface Wire {
    CompletionStage<byte[]> send(int slot, byte[][] keys, byte[] argument);

    /** Notifies all instances that permits of a counter were given back. */
    void announceReturn(String key);
  }

  /**
   * What an instance has of its own.
   *
   * @param nanos its steady clock
   * @param ticker its time of day
   */
  public record Surroundings(
      Wire wire,
      VirtualProber.Timer timer,
      LongSupplier nanos,
      Ticker ticker,
      IntSupplier instances,
      long holder,
      RandomGenerator random) {}

  public static final int SLOTS = 16_384;

  private static final RedisKeys KEYS = new RedisKeys("headgate:");
  private static final int CLUSTER_ZONES = 32;

  private final ScriptExecutor engine;
  private final DenialCache denials;
  private final ConsistencyStore near;
  private final FailureDomainStore zones;
  private final List<ManualReports> reports = new ArrayList<>();

  public SimulatedStore(
      Surroundings here, boolean cluster, Duration deadline, ConsistencyOptions options) {
    var link = new SimulatedConnection(here.wire, cluster);
    this.engine =
        ScriptExecutor.forTesting(link, KEYS, deadline, here.ticker, here.holder, here.nanos);
    this.denials = new DenialCache(engine, KEYS, here.nanos);
    denials.remember(); // no scenario resets a counter
    int count = cluster ? CLUSTER_ZONES : 1;
    var domains =
        new FailureDomains(count, key -> FailureDomainStore.zoneOf(link.laneOf(key), count));
    this.near =
        ManualConsistencyStore.create(
            denials, engine, here.instances, domains, options, here.nanos, here.ticker);
    this.zones =
        new FailureDomainStore(
            count,
            near,
            VirtualProber.memory(here.ticker, 4_096),
            link::laneOf,
            new OutageListener() {},
            (probe, listener, local) -> {
              var zone =
                  VirtualProber.before(
                      near,
                      here.ticker,
                      here.instances,
                      local,
                      listener,
                      engine::chargeSpent,
                      here.timer,
                      here.random,
                      () -> engine.decideAsync(probe));
              reports.add(new ManualReports(zone));
              return zone;
            });
  }

  /** The name of a counter in Redis. */
  public static String key(Counter counter, String key) {
    return KEYS.of(counter, key);
  }

  public static int slotOf(String key) {
    return io.lettuce.core.cluster.SlotHash.getSlot(RedisKeys.tag(key));
  }

  /** The failure domain of a slot of a cluster. */
  public static int zoneOf(int slot) {
    return FailureDomainStore.zoneOf(slot, CLUSTER_ZONES);
  }

  /** Whether a circuit breaker of this instance is open. */
  public boolean isUnavailable() {
    return zones.isUnavailable();
  }

  public CompletionStage<PlanResult> decide(Plan plan) {
    return zones.decideAsync(plan);
  }

  /** Gives back a slot, without waiting: a caller that is gone does not retry. */
  public CompletionStage<Boolean> release(Charge charge) {
    return engine.ask(ScriptCommand.change(charge, ScriptCommand.Change.RELEASE));
  }

  /** Permits of a counter were given back: denials that they caused are over. */
  public void returned(String key) {
    denials.forget(key);
  }

  /** Reports, renews and sweeps. */
  public void sync() {
    ManualConsistencyStore.sync(near);
    reports.forEach(ManualReports::run);
  }

  /** Ends waits that are over their deadline. */
  public void expire() {
    engine.watch().look();
  }

  /** Whether nothing waits for an answer. */
  public boolean isIdle() {
    return engine.isIdle();
  }
}
