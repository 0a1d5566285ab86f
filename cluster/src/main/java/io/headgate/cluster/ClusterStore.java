package io.headgate.cluster;

import io.headgate.cluster.internal.ClusterChannel;
import io.headgate.cluster.internal.ClusterSignalStore;
import io.headgate.cluster.internal.GridNode;
import io.headgate.cluster.internal.MemberEvents;
import io.headgate.cluster.internal.NodeSettings;
import io.headgate.internal.consistency.ConsistencyStore;
import io.headgate.internal.consistency.FailureDomains;
import io.headgate.internal.script.CounterKeys;
import io.headgate.internal.script.FailureDomainStore;
import io.headgate.internal.script.ScriptExecutor;
import io.headgate.store.ForwardingStore;
import io.headgate.store.HotKey;
import io.headgate.store.InstanceChannel;
import io.headgate.store.ReservationStore;
import io.headgate.store.SignalStore;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * Stores counters in the instances themselves. The instances that join each other are a cluster:
 * each counter has one owner among them, which decides all requests for it, and a copy at another,
 * which takes over when the owner fails.
 *
 * <p>Its layers, from the outside in, are the circuit breaker with the failure policies, the
 * consistency modes with the denial cache, and the executor that sends batches to owners. A process
 * has at most one such store. Thread-safe.
 */
public final class ClusterStore extends ForwardingStore {
  private static final String PREFIX = "";
  private static final int WARM_UP_CALLS = 100;

  private final ClusterOptions options;
  private final GridNode node;
  private final MemberEvents events;
  private final ConsistencyStore consistency;
  private final FailureDomainStore domains;
  private final SignalStore signals;
  private final InstanceChannel channel;
  private final ReservationStore reservations;

  private ClusterStore(
      ClusterOptions options,
      GridNode node,
      MemberEvents events,
      ConsistencyStore consistency,
      FailureDomainStore domains,
      SignalStore signals,
      InstanceChannel channel,
      ReservationStore reservations) {
    super(domains);
    this.options = options;
    this.node = node;
    this.events = events;
    this.consistency = consistency;
    this.domains = domains;
    this.signals = signals;
    this.channel = channel;
    this.reservations = reservations;
  }

  /**
   * Joins the cluster of these members, or founds it, on the default port.
   *
   * @param members as in {@link ClusterOptions#builder}
   */
  public static ClusterStore join(String members) {
    return join(ClusterOptions.builder(members).build());
  }

  /**
   * Joins the cluster, or founds it if no member is found. Waits until this member has joined.
   *
   * @throws IllegalArgumentException if the options bind to other addresses than loopback without a
   *     secret or certificates, or a certificate can't be used
   * @throws IllegalStateException if this process has a cluster store, the port is in use, or other
   *     members do not accept this one
   */
  public static ClusterStore join(ClusterOptions options) {
    var node = GridNode.start(settings(options));
    var connection = node.connection();

    // The layers, from the inside out.
    var executor =
        ScriptExecutor.of(
            new ScriptExecutor.Settings(
                "The cluster",
                PREFIX,
                options.deadline(),
                WARM_UP_CALLS,
                options.messageListener()::onReply),
            connection,
            connection.barrier());
    var events = new MemberEvents();
    var consistency =
        ConsistencyStore.around(
            executor,
            executor,
            new CounterKeys(PREFIX)::of,
            node::present,
            FailureDomains.ONE,
            options.consistency());
    var domains =
        new FailureDomainStore(
            1,
            consistency,
            executor::decide,
            executor::chargeSpent,
            connection::hashSlot,
            events::outageCount,
            options.outageListener());
    events.forwardTo(consistency);
    node.listen(events);
    return new ClusterStore(
        options,
        node,
        events,
        consistency,
        domains,
        new ClusterSignalStore(connection, PREFIX),
        new ClusterChannel(connection, events),
        executor.reservations(domains::decideAsync));
  }

  private static NodeSettings settings(ClusterOptions options) {
    requireKeys(options);
    Optional<NodeSettings.Keys> keys =
        options
            .certificates()
            .<NodeSettings.Keys>map(files ->
                new NodeSettings.CertificateFiles(
                    files.certificate(), files.key(), files.authority()))
            .or(() -> options.secret().map(NodeSettings.SharedSecret::new));
    return new NodeSettings(
        options.name(),
        options.host(),
        options.port(),
        options.dataPort(),
        options.join().stream()
            .map(each -> new NodeSettings.HostPort(each.host(), each.port()))
            .toList(),
        keys,
        options.backups(),
        options.maxBytes(),
        options.patience(),
        options.size(),
        options.memory(),
        NodeSettings.WIRE_VERSION);
  }

  /** Refuses to let other machines join, and read and change all counters, without a secret. */
  private static void requireKeys(ClusterOptions options) {
    if (options.isEncrypted()) return;
    try {
      if (InetAddress.getByName(options.host()).isLoopbackAddress()) return;
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "the address of this member can't be resolved: " + options.host(), e);
    }
    throw new IllegalArgumentException(
        "a member at %s, which other machines can reach, needs a cluster secret or"
                .formatted(options.host())
            + " certificates; set the same secret on all members, or bind to 127.0.0.1");
  }

  /** Returns the options of this member. */
  public ClusterOptions options() {
    return options;
  }

  /**
   * Returns whether failure policies decide: the circuit breaker is open, or there is no majority.
   */
  public boolean isUnavailable() {
    return domains.isUnavailable() || !events.isMajority();
  }

  /** Returns the time of the first failure of the current outage; empty while available. */
  public Optional<Instant> unavailableSince() {
    var since = domains.unavailableSince();
    return since.isEmpty()
        ? events.minoritySince()
        : Optional.of(Instant.EPOCH.plus(since.getAsLong(), ChronoUnit.MICROS));
  }

  /** Returns how long a request waits for the cluster; see {@link ClusterOptions#deadline}. */
  public Duration deadline() {
    return options.deadline();
  }

  /** Returns the message of the last failure; empty if there was none. */
  public Optional<String> lastProblem() {
    return events.isMajority() ? domains.lastProblem() : Optional.of(node.problem());
  }

  /** Returns the number of members that this one sees, including itself. */
  public int instances() {
    return node.present();
  }

  /** Returns the members that this one sees, and what they own. */
  public ClusterStatus status() {
    return ClusterStatus.of(node, events.isMajority());
  }

  /**
   * Returns the counters with the most checks on this instance, at most {@code max}. Counters of
   * eventual rules are not among them.
   */
  public List<HotKey> hotKeys(int max) {
    return consistency.hotKeys(max);
  }

  /** Returns the channel for messages between the members. */
  public InstanceChannel channel() {
    return channel;
  }

  @Override
  public Optional<SignalStore> signals() {
    return Optional.of(signals);
  }

  @Override
  public Optional<ReservationStore> reservations() {
    return Optional.of(reservations);
  }

  /** Leaves the cluster: the other members take over the counters of this one first. */
  @Override
  public void close() {
    super.close();
  }
}
