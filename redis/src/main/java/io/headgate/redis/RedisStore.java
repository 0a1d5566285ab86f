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
 * States in Redis or Valkey, the same for every instance that uses the same servers and prefix.
 *
 * <p>From the outside in: what rules say while Redis is away, what rules let be decided here,
 * denials that are known already, and the asking itself. Redis need not be there when this
 * connects: until it is, the rules' policies decide.
 */
public final class RedisStore implements Store {
  private static final int CLUSTER_ZONES = 32;

  private final RedisOptions options;
  private final LettuceClients clients;
  private final ScriptExecutor engine;
  private final PubSub hearing;
  private final Broadcast bulletin;
  private final InstanceRegistry instances;
  private final ConsistencyStore near;
  private final FailureDomainStore store;

  private RedisStore(RedisOptions options) {
    this.options = options;
    this.clients = new LettuceClients(options);
    var link = clients.link();
    var keys = new RedisKeys(options.prefix());
    this.engine = ScriptExecutor.of(options, link, clients.barrier());
    var denials = new DenialCache(engine, keys);
    this.hearing = new PubSub(clients::listen, clients.timer());
    this.bulletin = new Broadcast(link, hearing, options.prefix());
    this.instances = new InstanceRegistry(link, options.prefix());
    boolean cluster = options.address().topology() == RedisAddress.Topology.CLUSTER;
    int zones = cluster ? CLUSTER_ZONES : 1;
    var domains =
        new FailureDomains(zones, key -> FailureDomainStore.zoneOf(link.laneOf(key), zones));
    this.near = ConsistencyStore.before(denials, engine, instances::count, domains, options.near());
    var resets = new ResetSubscriber(denials.ear(), near, keys);
    hearing.listen(new String(clients.channel(), StandardCharsets.UTF_8), resets);
    this.store =
        new FailureDomainStore(
            zones,
            near,
            engine::decide,
            engine::chargeSpent,
            link::laneOf,
            instances::sharing,
            options.listener());
    hearing.start();
    instances.start(clients.timer());
  }

  /**
   * Connects with the usual options.
   *
   * @param uri such as {@code redis://localhost:6379}; {@link RedisAddress#parse} has the others
   */
  public static RedisStore connect(String uri) {
    return connect(RedisOptions.of(uri));
  }

  public static RedisStore connect(RedisOptions options) {
    return new RedisStore(options);
  }

  public RedisAddress address() {
    return options.address();
  }

  /** Whether Redis, or a part of the cluster, is given up for now, so that policies decide. */
  public boolean isUnavailable() {
    return store.isUnavailable();
  }

  /** The last thing that went wrong. */
  public Optional<String> lastProblem() {
    return store.lastProblem();
  }

  /** How many instances were seen at these servers lately, this one included. */
  public int instances() {
    return instances.count();
  }

  /** The counters that this instance asks about most, at most so many. */
  public List<HotKey> hotKeys(int most) {
    return near.hotKeys(most);
  }

  /** Where instances that share this store leave word for each other. */
  public Broadcast bulletin() {
    return bulletin;
  }

  /** Whether nothing is on its way to Redis, and nobody waits for it. */
  boolean isIdle() {
    return engine.isIdle();
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

  /** All keys of the database, those of others included. */
  @Override
  public long trackedKeys() {
    return store.trackedKeys();
  }

  @Override
  public void close() {
    hearing.close();
    store.close();
    clients.close();
  }
}
