package io.headgate.redis;

import io.headgate.internal.consistency.ConsistencyStore;
import io.headgate.internal.consistency.FailureDomains;
import io.headgate.internal.script.CounterKeys;
import io.headgate.internal.script.FailureDomainStore;
import io.headgate.internal.script.ScriptExecutor;
import io.headgate.redis.internal.connection.InstanceRegistry;
import io.headgate.redis.internal.connection.LettuceClients;
import io.headgate.redis.internal.connection.PubSub;
import io.headgate.redis.internal.connection.RedisSignalStore;
import io.headgate.redis.internal.connection.ResetSubscriber;
import io.headgate.store.ForwardingStore;
import io.headgate.store.HotKey;
import io.headgate.store.ReservationStore;
import io.headgate.store.SignalStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Stores counters in Redis. Instances with the same servers and key prefix share them.
 *
 * {@snippet file="io/headgate/redis/RedisExamplesTest.java" region="store"}
 *
 * <p>Its layers, from the outside in, are the circuit breakers with the failure policies, the
 * consistency modes with the denial cache, and the script executor. Redis may be unavailable when
 * this store is created: the failure policies of the rules decide until a connection is
 * established. Thread-safe.
 */
public final class RedisStore extends ForwardingStore {
  private static final int CLUSTER_DOMAINS = 32;

  private final RedisOptions options;
  private final LettuceClients clients;
  private final PubSub pubSub;
  private final Broadcast broadcast;
  private final InstanceRegistry instances;
  private final ScriptExecutor executor;
  private final ConsistencyStore consistency;
  private final FailureDomainStore domains;
  private final SignalStore signals;
  private final ReservationStore reservations;

  private RedisStore(
      RedisOptions options,
      LettuceClients clients,
      PubSub pubSub,
      Broadcast broadcast,
      InstanceRegistry instances,
      ScriptExecutor executor,
      ConsistencyStore consistency,
      FailureDomainStore domains,
      SignalStore signals) {
    super(domains);
    this.options = options;
    this.clients = clients;
    this.pubSub = pubSub;
    this.broadcast = broadcast;
    this.instances = instances;
    this.executor = executor;
    this.consistency = consistency;
    this.domains = domains;
    this.signals = signals;
    this.reservations = executor.reservations(domains::decideAsync);
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
    var clients = new LettuceClients(options);
    var connection = clients.connect();
    var pubSub = new PubSub(clients::connectPubSub, clients.timer());
    var broadcast = new Broadcast(connection, pubSub, options.prefix());
    var instances = new InstanceRegistry(connection, options.prefix(), options.layout());
    boolean cluster = options.address().topology() == RedisAddress.Topology.CLUSTER;
    int count = cluster ? CLUSTER_DOMAINS : 1;

    // The layers, from the inside out.
    var executor =
        ScriptExecutor.of(
            new ScriptExecutor.Settings(
                "Redis",
                options.prefix(),
                options.deadline(),
                options.warmUpCalls(),
                options.roundTripListener()::onRoundTrip),
            connection,
            clients.barrier());
    var consistency =
        ConsistencyStore.around(
            executor,
            executor,
            new CounterKeys(options.prefix())::of,
            instances::count,
            new FailureDomains(
                count, key -> FailureDomainStore.domainOf(connection.hashSlot(key), count)),
            options.consistency());
    var domains =
        new FailureDomainStore(
            count,
            consistency,
            executor::decide,
            executor::chargeSpent,
            connection::hashSlot,
            instances::outageCount,
            options.outageListener());

    pubSub.subscribe(
        new String(clients.resetChannel(), StandardCharsets.UTF_8),
        new ResetSubscriber(consistency));
    pubSub.start();
    instances.start(clients.timer());
    return new RedisStore(
        options,
        clients,
        pubSub,
        broadcast,
        instances,
        executor,
        consistency,
        domains,
        new RedisSignalStore(connection, options.prefix()));
  }

  /** Returns the address, whose text contains no secrets. */
  public RedisAddress address() {
    return options.address();
  }

  /** Returns whether a circuit breaker is open for Redis or for a part of the cluster. */
  public boolean isUnavailable() {
    return domains.isUnavailable();
  }

  /** Returns the time of the first failure of the current outage; empty while available. */
  public Optional<Instant> unavailableSince() {
    var since = domains.unavailableSince();
    return since.isEmpty()
        ? Optional.empty()
        : Optional.of(Instant.EPOCH.plus(since.getAsLong(), ChronoUnit.MICROS));
  }

  /** Returns how long a request waits for Redis; see {@link RedisOptions#deadline}. */
  public Duration deadline() {
    return options.deadline();
  }

  /** Returns the message of the last failure; empty if there was none. */
  public Optional<String> lastProblem() {
    return domains.lastProblem();
  }

  /** Returns the number of instances that share this store, including this one. */
  public int instances() {
    return instances.count();
  }

  /** Returns the layout of keys; see {@link RedisOptions#layout}. */
  public KeyLayout layout() {
    return options.layout();
  }

  /**
   * Returns the number of instances with each layout that share the key prefix, including this one;
   * without layouts that none has. Instances with different layouts count separately. Of the latest
   * 256 instances if there are more.
   *
   * <p>An instance that has ended is counted for ten seconds more.
   */
  public Map<KeyLayout, Integer> layouts() {
    return instances.layouts();
  }

  /**
   * Returns the counters with the most checks on this instance, at most {@code max}. Counters of
   * eventual rules are not among them.
   */
  public List<HotKey> hotKeys(int max) {
    return consistency.hotKeys(max);
  }

  /** Returns the channel for messages between the instances that share this store. */
  public Broadcast broadcast() {
    return broadcast;
  }

  @Override
  public Optional<SignalStore> signals() {
    return Optional.of(signals);
  }

  @Override
  public Optional<ReservationStore> reservations() {
    return Optional.of(reservations);
  }

  /** Returns whether no command is queued or in flight. */
  boolean isIdle() {
    return executor.isIdle();
  }

  /** Returns the number of keys of the database, including keys of other applications. */
  @Override
  public long trackedKeys() {
    return super.trackedKeys();
  }

  @Override
  public void close() {
    pubSub.close();
    super.close();
    clients.close();
  }
}
