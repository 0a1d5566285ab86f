package io.headgate.redis;

import io.headgate.consistency.ConsistencyStore;
import io.headgate.consistency.FailureDomains;
import io.headgate.consistency.HotKey;
import io.headgate.redis.internal.cluster.FailureDomainStore;
import io.headgate.redis.internal.connection.InstanceRegistry;
import io.headgate.redis.internal.connection.LettuceClients;
import io.headgate.redis.internal.connection.PubSub;
import io.headgate.redis.internal.connection.RedisKeys;
import io.headgate.redis.internal.connection.ResetSubscriber;
import io.headgate.redis.internal.script.DenialCache;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.store.PlanResult;
import io.headgate.store.Store;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Stores counters in Redis or Valkey. Instances with the same servers and key prefix share them.
 *
 * {@snippet file="io/headgate/redis/RedisExamplesTest.java" region="store"}
 *
 * <p>Its layers, from the outside in, are the circuit breakers with the failure policies, the
 * consistency modes, the denial cache, and the script executor. Redis may be unavailable when this
 * store is created: the failure policies of the rules decide until a connection is established.
 * Thread-safe.
 */
public final class RedisStore implements Store {
  private static final int CLUSTER_DOMAINS = 32;

  private final RedisOptions options;
  private final LettuceClients clients;
  private final ScriptExecutor executor;
  private final PubSub pubSub;
  private final Broadcast broadcast;
  private final InstanceRegistry instances;
  private final ConsistencyStore consistency;
  private final FailureDomainStore store;

  private RedisStore(RedisOptions options) {
    this.options = options;
    this.clients = new LettuceClients(options);
    var connection = clients.connect();
    var keys = new RedisKeys(options.prefix());
    this.executor = ScriptExecutor.of(options, connection, clients.barrier());
    var denials = new DenialCache(executor, keys);
    this.pubSub = new PubSub(clients::connectPubSub, clients.timer());
    this.broadcast = new Broadcast(connection, pubSub, options.prefix());
    this.instances = new InstanceRegistry(connection, options.prefix());
    boolean cluster = options.address().topology() == RedisAddress.Topology.CLUSTER;
    int domainCount = cluster ? CLUSTER_DOMAINS : 1;
    var domains =
        new FailureDomains(
            domainCount, key -> FailureDomainStore.domainOf(connection.hashSlot(key), domainCount));
    this.consistency =
        ConsistencyStore.around(
            denials, executor, instances::count, domains, options.consistency());
    var resets = new ResetSubscriber(denials.listener(), consistency, keys);
    pubSub.subscribe(new String(clients.resetChannel(), StandardCharsets.UTF_8), resets);
    this.store =
        new FailureDomainStore(
            domainCount,
            consistency,
            executor::decide,
            executor::chargeSpent,
            connection::hashSlot,
            instances::outageCount,
            options.outageListener());
    pubSub.start();
    instances.start(clients.timer());
  }

  /**
   * Connects with default options.
   *
   * @param uri an address such as {@code redis://localhost:6379}; {@link RedisAddress#parse} lists
   *     all forms
   */
  public static RedisStore connect(String uri) {
    return connect(RedisOptions.of(uri));
  }

  /**
   * Connects with the given options. Waits for the first connection attempt, two seconds at most;
   * if it fails, further attempts are made in the background.
   */
  public static RedisStore connect(RedisOptions options) {
    return new RedisStore(options);
  }

  /** Returns the address, whose text contains no secrets. */
  public RedisAddress address() {
    return options.address();
  }

  /** Returns whether a circuit breaker is open for Redis or for a part of the cluster. */
  public boolean isUnavailable() {
    return store.isUnavailable();
  }

  /** Returns the message of the last failure; empty if there was none. */
  public Optional<String> lastProblem() {
    return store.lastProblem();
  }

  /** Returns the number of instances that share this store, including this one. */
  public int instances() {
    return instances.count();
  }

  /** Returns the counters with the most checks on this instance, at most {@code max}. */
  public List<HotKey> hotKeys(int max) {
    return consistency.hotKeys(max);
  }

  /** Returns the channel for messages between the instances that share this store. */
  public Broadcast broadcast() {
    return broadcast;
  }

  /** Returns whether no command is queued or in flight. */
  boolean isIdle() {
    return executor.isIdle();
  }

  @Override
  public PlanResult decide(Plan plan) {
    return store.decide(plan);
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    return store.decideAsync(plan);
  }

  @Override
  public PlanResult peek(Plan plan) {
    return store.peek(plan);
  }

  @Override
  public boolean renew(Charge charge) {
    return store.renew(charge);
  }

  @Override
  public boolean release(Charge charge) {
    return store.release(charge);
  }

  @Override
  public void reset(Counter counter, String key) {
    store.reset(counter, key);
  }

  /** Returns the number of keys of the database, including keys of other applications. */
  @Override
  public long trackedKeys() {
    return store.trackedKeys();
  }

  @Override
  public void close() {
    pubSub.close();
    store.close();
    clients.close();
  }
}
