package io.headgate.cluster.internal;

import com.tangosol.net.AsyncNamedCache;
import com.tangosol.net.AsyncNamedMap;
import com.tangosol.net.CacheFactory;
import com.tangosol.net.Cluster;
import com.tangosol.net.ConfigurableCacheFactory;
import com.tangosol.net.ExtensibleConfigurableCacheFactory;
import com.tangosol.net.InvocationService;
import com.tangosol.net.Member;
import com.tangosol.net.MemberEvent;
import com.tangosol.net.MemberListener;
import com.tangosol.net.NamedCache;
import com.tangosol.net.PartitionedService;
import com.tangosol.net.RequestPolicyException;
import com.tangosol.net.RequestTimeoutException;
import io.headgate.cluster.internal.quorum.Agreement;
import io.headgate.cluster.internal.quorum.MemberQuorum;
import io.headgate.cluster.internal.quorum.VoterFile;
import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * This process as a member of the cluster: starts and stops the embedded grid, and follows the
 * membership. A process has at most one, since the grid has one node per class loader. Thread-safe.
 */
public final class GridNode implements AutoCloseable {
  /** The name of the cache of all counters, as in {@code grid-cache.xml}. */
  static final String COUNTERS = "counters";

  static final Logger LOG = Logger.getLogger("io.headgate.cluster");

  /** The log of the grid; the reference keeps its level. */
  private static final Logger GRID_LOG = Logger.getLogger("io.headgate.cluster.grid");

  /** Warns of self-signed certificates, which those of a shared secret are. */
  private static final Logger TLS_LOG =
      Logger.getLogger("com.oracle.coherence.common.net.SSLSocketProvider");

  private static final int MAX_ATTEMPTS = 5;
  private static final String NOTICES = "HeadgateNotices";
  private static final long CHECK_MILLIS = 1_000;

  /** How long a start waits for a majority before the service runs without it. */
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** How long an orderly leave waits for the others to agree that this one no longer counts. */
  private static final long LEAVE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Is notified of events of the cluster, on threads that it must not block. */
  public interface Listener {
    /** A counter was reset by any member. */
    void counterReset(String name);

    /** Permits of a counter were returned early. */
    void permitsReturned(String name);

    /** A message of a topic was published. */
    void message(String topic, String text);

    /** Notices may have been missed: this member is, or was, not part of the majority. */
    void disconnected();

    /** Notices are received from now on. */
    void subscribed();

    /** Is called about once a second, with the number of members and whether they may decide. */
    void members(int present, boolean majority);
  }

  // The grid creates policies and address providers by itself, so that they find these here.
  private static volatile @Nullable NodeSettings settings;
  private static volatile @Nullable MemberQuorum quorum;
  private static volatile boolean decides; // as of the last look at the members
  private static volatile @Nullable GridNode current;
  private static final AbsentMembers ABSENT = new AbsentMembers();

  private final ConfigurableCacheFactory factory;
  private final NamedCache<EntryKey, byte[]> cache;
  private final AsyncNamedCache<EntryKey, byte[]> async;
  private final InvocationService notices;
  private final MemberLoop loop;
  private final MemberQuorum members;
  private final JoinList list;
  private final String remedy; // of a majority that is lost for good
  private final ScheduledExecutorService timer;
  private final SuspectMarks suspects = new SuspectMarks(); // confined to the timer
  private volatile @Nullable Listener listener;
  private volatile boolean connected = true;
  private OptionalLong minoritySince = OptionalLong.empty(); // guarded by this
  private boolean warned; // that there is no majority; guarded by this
  private volatile int present = 1;
  private volatile boolean closed;

  private GridNode(ConfigurableCacheFactory factory, MemberQuorum members, JoinList list) {
    this.factory = factory;
    this.members = members;
    this.list = list;
    this.remedy =
        settings()
            .memory()
            .map(file ->
                "; if they are lost for good, stop all members, remove %s from their data directories, and start them with the new --join"
                    .formatted(file.getFileName()))
            .orElse("");
    var loader = GridNode.class.getClassLoader();
    this.cache = factory.ensureCache(COUNTERS, loader);
    this.notices = (InvocationService) factory.ensureService(NOTICES);
    this.loop = new MemberLoop(this::counters, this::ownerOf);
    // Completed by the loop itself: the default pool of the grid would be one more thread to wake.
    this.async = cache.async(AsyncNamedMap.Complete.using(loop::execute));
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("headgate-cluster-members").factory());
  }

  /**
   * Starts the member of this process and waits until it has joined, or is the first.
   *
   * @throws IllegalStateException if this process has a member already, or the port is in use
   */
  public static GridNode start(NodeSettings with) {
    synchronized (GridNode.class) {
      if (current != null) {
        throw new IllegalStateException(
            "this process is a member of a cluster already; close that store first");
      }
      settings = with;
      requireReadableMemory();
      requireFreePort(with, with.port());
      if (with.dataPort() != 0) requireFreePort(with, with.dataPort());
      quorum = null;
      decides = false;
      ABSENT.clear();
      if (GRID_LOG.getLevel() == null) GRID_LOG.setLevel(Level.SEVERE);
      if (TLS_LOG.getLevel() == null) TLS_LOG.setLevel(Level.SEVERE);
      setProperties(with);
      for (int attempt = 1; ; attempt++) {
        try {
          var node = join();
          current = node;
          node.follow();
          awaitOthers(node, with);
          return node;
        } catch (RefusedException e) {
          CacheFactory.shutdown();
          settings = null;
          GridProperties.clear();
          throw new IllegalStateException(e.getMessage(), e);
        } catch (RuntimeException e) {
          CacheFactory.shutdown();
          if (attempt < MAX_ATTEMPTS && isTransient(e)) continue;
          settings = null;
          GridProperties.clear();
          throw new IllegalStateException(
              "cannot join the cluster at %s:%d (%s); check that the port is free, and that the members to join can be reached"
                  .formatted(with.host(), with.port(), firstLine(e)),
              e);
        }
      }
    }
  }

  /** The grid takes a port that another program listens at for that of another member. */
  private static void requireFreePort(NodeSettings with, int port) {
    try (var socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(with.host(), port));
    } catch (IOException e) {
      settings = null;
      throw new IllegalStateException(
          "this member can't listen at %s: %s; stop the program that has the port, or set another"
              .formatted(new NodeSettings.HostPort(with.host(), port), e.getMessage()),
          e);
    }
  }

  private static void requireReadableMemory() {
    try {
      var unused = memory().flatMap(VoterFile::load);
    } catch (IllegalStateException e) {
      settings = null;
      throw e;
    }
  }

  private static void setProperties(NodeSettings with) {
    try {
      GridProperties.set(with);
    } catch (RuntimeException e) {
      settings = null;
      GridProperties.clear();
      throw e;
    }
  }

  private static void awaitOthers(GridNode node, NodeSettings with) {
    try {
      JoinCheck.awaitOthers(
          with,
          () -> {
            node.updateMembers();
            return node.present;
          });
      node.awaitDecisions();
    } catch (IllegalStateException e) {
      node.close();
      throw new RefusedException(String.valueOf(e.getMessage()));
    }
  }

  /** Gives the members time to tell each other what they know, so that first checks are decided. */
  private void awaitDecisions() {
    long until = System.nanoTime() + START_NANOS;
    while (!decides && System.nanoTime() - until < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  /** The other members and this one can't be in one cluster. */
  private static final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RefusedException(String message) {
      super(message);
    }
  }

  /** Refuses other wire versions before this member owns any partition. */
  private static void requireSameVersion(Cluster cluster) {
    int version = settings().wireVersion();
    for (var member : cluster.getMemberSet()) {
      if (GridProperties.role(version).equals(member.getRoleName())) continue;
      throw new RefusedException(
          "the member at %s has the wire format %s, and this one %s: they can't be in one cluster; stop all members of the other version first"
              .formatted(
                  MembershipView.address(member),
                  member.getRoleName(),
                  GridProperties.role(version)));
    }
  }

  private static GridNode join() {
    var cluster = CacheFactory.ensureCluster();
    requireSameVersion(cluster);
    var list = new JoinList(settings(), cluster.getLocalMember().getAddress());
    var known = memory().flatMap(VoterFile::load);
    var members = new MemberQuorum(list.id(), known.orElseGet(() -> Agreement.of(list.founders())));
    quorum = members;
    var config =
        ExtensibleConfigurableCacheFactory.DependenciesHelper.newInstance(
            GridProperties.CACHES, GridNode.class.getClassLoader());
    return new GridNode(new ExtensibleConfigurableCacheFactory(config), members, list);
  }

  private static Optional<VoterFile> memory() {
    var with = settings();
    return with.memory().map(file -> new VoterFile(file, with.name()));
  }

  /**
   * Returns whether another attempt may succeed: the members, or this process, were too busy to
   * join in time, or the grid failed by itself. Its cache service uses a map that does not exist
   * yet if members start at the same time.
   */
  private static boolean isTransient(Throwable problem) {
    for (var cause = problem; cause != null; cause = cause.getCause()) {
      if (cause instanceof RequestTimeoutException || cause instanceof NullPointerException) {
        return true;
      }
      if (String.valueOf(cause.getMessage()).startsWith("Failed to start Service")) return true;
    }
    return false;
  }

  private static String firstLine(Throwable problem) {
    return String.valueOf(problem.getMessage()).lines().findFirst().orElse("");
  }

  static NodeSettings settings() {
    return Objects.requireNonNull(settings, "no member was started");
  }

  /** Returns whether the members that are present may decide. */
  static boolean decides() {
    return decides;
  }

  /**
   * Returns whether these nodes may expel the others: they decide without them, or nothing has been
   * decided yet that could be lost.
   */
  static boolean mayExpel(Set<Integer> responsive) {
    var members = quorum;
    return members == null || members.mayDecide(responsive, System.nanoTime());
  }

  static AbsentMembers absent() {
    return ABSENT;
  }

  /** Handles a notice of a member, which may be this one. */
  static void received(Notice.Kind kind, byte[] content) {
    var node = current;
    if (kind == Notice.Kind.LEAVING) {
      int id = Math.toIntExact(new NumberReader(content).next());
      ABSENT.leaving(id);
    }
    if (kind == Notice.Kind.VOTERS && node != null) node.hear(new NumberReader(content));
    var listener = node == null ? null : node.listener;
    if (listener == null) return;
    switch (kind) {
      case RESET -> listener.counterReset(new String(content, StandardCharsets.UTF_8));
      case RETURNED -> listener.permitsReturned(new String(content, StandardCharsets.UTF_8));
      case LEAVING, VOTERS -> {}
      case MESSAGE -> {
        var in = new NumberReader(content);
        listener.message(in.text(), in.text());
      }
    }
  }

  /** Returns the connection to the owners of counters. */
  public MemberConnection connection() {
    return new MemberConnection(this, loop);
  }

  /** Sets the listener, and notifies it of the present state. */
  public void listen(Listener to) {
    listener = to;
    to.subscribed();
    to.members(present, connected);
  }

  private void follow() {
    cache.getCacheService().addMemberListener(new Members());
    updateMembers();
    var unused =
        timer.scheduleWithFixedDelay(
            this::check, CHECK_MILLIS, CHECK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Notices the loss of the majority, and makes an expelled member join anew. */
  private void check() {
    try {
      loop.expire(System.nanoTime());
      if (!cache.getCacheService().isRunning() && !closed) loop.execute(this::rejoin);
      else if (!notices.isRunning() && !closed) loop.execute(this::receiveNotices);
      updateMembers();
      suspects.update(notices.getCluster().getMemberSet(), System.nanoTime());
    } catch (RuntimeException e) {
      LOG.log(Level.FINE, "cannot read the membership", e);
    }
  }

  /** Makes the grid join anew, which any use of the cache does if its service has ended. */
  private void rejoin() {
    if (closed || cache.getCacheService().isRunning()) return;
    LOG.warning("this member was expelled from the cluster; joining again without its counters");
    try {
      int counters = cache.size();
      LOG.info(() -> "joined the cluster again, which has %d counters".formatted(counters));
    } catch (RequestPolicyException e) {
      LOG.info("this member sees no majority of the cluster yet");
    }
  }

  /**
   * Starts the service of notices, which ends with an expulsion too. Unlike that of the counters,
   * it is not used by checks, and would not start again before this member sends a notice itself.
   */
  private void receiveNotices() {
    if (closed || notices.isRunning()) return;
    var unused = factory.ensureService(NOTICES);
    var to = listener;
    if (to != null && connected) {
      to.disconnected(); // notices were missed
      to.subscribed();
    }
  }

  private synchronized void updateMembers() {
    if (members.isFounding()) members.founders(list.founders()); // names may resolve by now
    var service = cache.getCacheService();
    boolean running = service.isRunning();
    var nodes = new HashSet<Integer>();
    if (running) {
      int self = service.getCluster().getLocalMember().getId();
      for (var each : service.getInfo().getServiceMembers()) nodes.add(((Member) each).getId());
      present = Math.max(1, nodes.size());
      nodes.remove(self);
      members.present(nodes);
      if (members.step(nodes.stream().allMatch(id -> self < id), System.nanoTime())) remember();
      sendStatement(self);
    } else {
      members.present(nodes);
    }
    boolean majority =
        running && members.mayDecide(System.nanoTime()) && !ABSENT.isMinority(Instant.now());
    decides = majority;
    var to = listener;
    if (majority != connected) {
      connected = majority;
      if (to != null && majority) to.subscribed();
      if (to != null && !majority) to.disconnected();
    }
    logDecisions(majority, System.nanoTime());
    if (to != null) to.members(running ? present : 1, majority);
  }

  private static void remember() {
    var now = quorum;
    if (now == null) return;
    try {
      memory().ifPresent(file -> file.save(now.statement().knows()));
    } catch (UncheckedIOException e) {
      LOG.log(
          Level.WARNING,
          "cannot save the members of the cluster; if this member is restarted while it reaches no"
              + " other, it knows those of --join only",
          e);
    }
  }

  private void sendStatement(int node) {
    var statement = members.statement();
    var out = new NumberWriter().put(node).put(statement.id()).put(statement.leaving() ? 1 : 0);
    statement.knows().writeTo(out);
    publish(Notice.Kind.VOTERS, out.toByteArray());
  }

  /** Handles what a member says; an answer follows at once if it is news to either. */
  private void hear(NumberReader in) {
    int node = in.count();
    var statement = new MemberQuorum.Statement(in.text(), in.next() == 1, Agreement.readFrom(in));
    if (node == notices.getCluster().getLocalMember().getId()) return;
    if (members.hear(node, statement, System.nanoTime()) && !timer.isShutdown()) {
      timer.execute(this::check);
    }
  }

  /** Logs a lack of a majority that lasts, and its end. */
  private void logDecisions(boolean majority, long now) {
    if (majority) {
      minoritySince = OptionalLong.empty();
      if (!warned) return;
      warned = false;
      LOG.info(
          "%d of %d members are present, a majority: they decide"
              .formatted(members.seen(now), members.size()));
      return;
    }
    if (minoritySince.isEmpty()) minoritySince = OptionalLong.of(now);
    if (warned || now - minoritySince.getAsLong() < START_NANOS) return;
    warned = true;
    LOG.warning(problem());
  }

  /** Returns why this member does not decide, and what to do. */
  public String problem() {
    long now = System.nanoTime();
    var missing = members.missing(now);
    return "this member does not decide: it sees %d of %d members, no majority%s; start them, and check that members reach each other's ports%s"
        .formatted(
            members.seen(now),
            members.size(),
            missing.isEmpty() ? "" : " (missing: " + String.join(", ", missing) + ")",
            remedy);
  }

  private int ownerOf(int partition) {
    var owner = ((PartitionedService) cache.getCacheService()).getPartitionOwner(partition);
    return owner == null ? -1 : owner.getId();
  }

  AsyncNamedCache<EntryKey, byte[]> counters() {
    return async;
  }

  /** Counts the counters of all members. */
  CompletionStage<Long> count() {
    return CompletableFuture.supplyAsync(() -> (long) cache.size(), timer)
        .exceptionallyCompose(problem -> {
          var failure = new StoreException(Kind.CONNECTION, "the cluster is unavailable", problem);
          return CompletableFuture.failedFuture(failure);
        });
  }

  /** Removes all counters, for tests. */
  void clear() {
    cache.clear();
  }

  /** Sends a notice to all members, this one included, without waiting. */
  void publish(Notice.Kind kind, byte[] content) {
    loop.execute(() -> {
      try {
        notices.execute(new Notice(kind, content), null, null);
      } catch (RuntimeException e) {
        LOG.log(Level.FINE, "a notice could not be sent", e);
      }
    });
  }

  /** Returns the number of members that are present. */
  public int present() {
    return present;
  }

  /** Returns the number of members that a majority is counted of. */
  public int expected() {
    return members.size();
  }

  /** Returns the members that this one can't reach, some of which the view may have. */
  public List<AbsentMembers.Absent> unreachable(MembershipView view) {
    return ABSENT.list(view.members(), members.size() - present, Instant.now());
  }

  /**
   * Returns the members and what they own.
   *
   * @throws IllegalStateException while this member joins anew: the grid would block until it has
   */
  public MembershipView view() {
    if (!cache.getCacheService().isRunning()) {
      throw new IllegalStateException("this member joins the cluster again");
    }
    return MembershipView.of((PartitionedService) cache.getCacheService());
  }

  /** Leaves the cluster in order: the other members take over all counters first. */
  @Override
  public void close() {
    synchronized (GridNode.class) {
      if (closed) return;
      closed = true;
      timer.shutdownNow();
      try {
        int id = notices.getCluster().getLocalMember().getId();
        var content = new NumberWriter().put(id).toByteArray();
        notices.query(new Notice(Notice.Kind.LEAVING, content), null);
        cache.getCacheService().shutdown();
      } catch (RuntimeException e) {
        LOG.log(Level.FINE, "the cluster could not be left in order", e);
      }
      try {
        factory.dispose();
        CacheFactory.shutdown();
      } finally {
        current = null;
        settings = null;
        GridProperties.clear();
      }
    }
  }

  /** Waits until a majority has agreed that this member, which leaves, no longer counts. */
  void leave() {
    if (closed || timer.isShutdown()) return;
    members.leave();
    long until = System.nanoTime() + LEAVE_NANOS;
    while (present > 1 && decides && members.isVoter() && System.nanoTime() - until < 0) {
      timer.execute(this::check);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
  }

  /** Follows the members of the service of counters, on the thread of its events. */
  private final class Members implements MemberListener {
    @Override
    public void memberJoined(MemberEvent event) {
      ABSENT.joined(MembershipView.address(event.getMember()));
      onChange(event, "joined");
    }

    @Override
    public void memberLeaving(MemberEvent event) {}

    @Override
    public void memberLeft(MemberEvent event) {
      var member = event.getMember();
      if (event.isLocal()) {
        members.present(Set.of());
        decides = false;
        ABSENT.clear();
        if (!closed) timer.execute(loop::expelled); // what it has sent is never answered
      } else {
        ABSENT.left(member.getId(), MembershipView.address(member), Instant.now());
      }
      onChange(event, "left");
    }

    private void onChange(MemberEvent event, String change) {
      if (closed) return;
      LOG.info(() -> "member %d %s the cluster".formatted(event.getMember().getId(), change));
      if (event.isLocal() && connected) {
        var to = listener;
        connected = false;
        if (to != null) {
          to.disconnected();
          to.members(1, false); // the timer may be blocked until this member has joined anew
        }
      }
      timer.execute(GridNode.this::check);
    }
  }
}
