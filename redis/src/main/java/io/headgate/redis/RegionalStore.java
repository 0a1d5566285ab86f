package io.headgate.redis;

import io.headgate.internal.region.RegionShares;
import io.headgate.internal.region.RegionStore;
import io.headgate.internal.region.ShareTiming;
import io.headgate.internal.script.Failures;
import io.headgate.internal.script.ScriptExecutor;
import io.headgate.store.ForwardingStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Stores the counters of one region in its own Redis, and shares limits with other regions through
 * home: a Redis, or the service of another region.
 *
 * {@snippet file="io/headgate/redis/RegionalStoreTest.java" region="connect"}
 *
 * <p>Home may be unavailable when this store is created: shared rules then deny what the region's
 * split does not cover until home grants shares. Thread-safe.
 */
public final class RegionalStore extends ForwardingStore {
  private static final Duration REPORT_INTERVAL = Duration.ofSeconds(2);

  private final RegionOptions options;
  private final RedisStore regional;
  private final HomeLink home;
  private final ScriptExecutor executor;
  private final RegionShares shares;
  private final String instance = UUID.randomUUID().toString().substring(0, 8);
  private volatile LongSupplier revision = () -> -1;
  private volatile List<RegionReport> reports = List.of();
  private volatile long reportsAt = System.nanoTime();
  private volatile boolean homeAnswers;
  private volatile String heartbeatProblem = ""; // of the last heartbeat; empty if it was answered
  private boolean homeWasAsked; // guarded by this
  private Consumer<String> homeListener = problem -> {}; // guarded by this

  private RegionalStore(
      RegionOptions options,
      RedisStore regional,
      HomeLink home,
      ScriptExecutor executor,
      RegionShares shares) {
    super(new RegionStore(options.region(), regional, home.store(), shares, Optional.of(executor)));
    this.options = options;
    this.regional = regional;
    this.home = home;
    this.executor = executor;
    this.shares = shares;
  }

  /**
   * Connects to the regional Redis and to home. Waits for the first connection attempts, two
   * seconds at most; if they fail, further attempts are made in the background.
   *
   * @param regional the connected store of the region, which is closed with the returned one
   * @throws IllegalArgumentException if the store has the layout {@link KeyLayout#COMPACT}; it is
   *     not closed then
   */
  public static RegionalStore connect(RegionOptions options, RedisStore regional) {
    RegionOptions.requireSeparateKeys(regional.layout());
    var timing = ShareTiming.ofLease(options.lease());
    var home = options.connectToHome();
    var executor =
        ScriptExecutor.of(
            new ScriptExecutor.Settings(
                "home", home.prefix(), options.home().deadline(), 0, options.homeListener()),
            home.guarded(),
            home.barrier());
    var shares = new RegionShares(executor, timing, System::nanoTime);
    var store = new RegionalStore(options, regional, home, executor, shares);
    store.start(timing);
    return store;
  }

  /** Connects to the regional Redis of the options and to home. */
  public static RegionalStore connect(RegionOptions options) {
    return connect(options, RedisStore.connect(options.regional()));
  }

  private void start(ShareTiming timing) {
    long sync = Math.clamp(timing.sync().toMillis() / 10, 10, 100);
    var timer = home.timer();
    var unused = timer.scheduleWithFixedDelay(shares::sync, sync, sync, TimeUnit.MILLISECONDS);
    long report = Math.min(REPORT_INTERVAL.toMillis(), timing.sync().toMillis());
    var unusedToo = timer.scheduleWithFixedDelay(this::report, 0, report, TimeUnit.MILLISECONDS);
  }

  /** Opens home if it has restarted, and exchanges the reports of instances. */
  private void report() {
    var unused =
        home.heartbeat()
            .handle((done, problem) -> problem == null ? "" : textOf(problem))
            .thenAccept(this::onHeartbeat);
    var text =
        RegionReport.text(
            options.region(),
            revision.getAsLong(),
            shares.home().roundTripMicros(),
            shares.byRule());
    var unusedToo =
        home.report(instance, text.getBytes(StandardCharsets.UTF_8))
            .thenAccept(this::onReports)
            .exceptionally(problem -> null);
  }

  private static String textOf(Throwable problem) {
    return String.valueOf(Failures.asStoreException(problem).getMessage());
  }

  private synchronized void onHeartbeat(String problem) {
    boolean changed = problem.isEmpty() != homeAnswers || (!problem.isEmpty() && !homeWasAsked);
    homeWasAsked = true;
    heartbeatProblem = problem;
    homeAnswers = problem.isEmpty();
    if (changed) homeListener.accept(problem);
  }

  /**
   * Sets what is notified when home begins to grant shares, with an empty text, and when it stops
   * to, with the reason. Must not block.
   */
  public synchronized void onHomeChange(Consumer<String> listener) {
    homeListener = listener;
    if (homeWasAsked) listener.accept(heartbeatProblem);
  }

  private void onReports(List<byte[]> reply) {
    var all = new ArrayList<RegionReport>();
    for (int i = 0; i + 2 < reply.size(); i += RegionReport.FIELDS) {
      RegionReport.parse(
              text(reply.get(i)), Long.parseLong(text(reply.get(i + 1))), text(reply.get(i + 2)))
          .ifPresent(all::add);
    }
    reports = List.copyOf(all);
    reportsAt = System.nanoTime();
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Sets where the revision of the rules in force is read for reports. */
  public void reportRevision(LongSupplier revision) {
    this.revision = revision;
  }

  /** Returns the revision of the rules in force; -1 if unknown. */
  public long revision() {
    return revision.getAsLong();
  }

  /** Returns the options. */
  public RegionOptions options() {
    return options;
  }

  /** Returns the store of the region. */
  public RedisStore regional() {
    return regional;
  }

  /** Returns whether home has granted or could grant shares at the last heartbeat. */
  public boolean isHomeReady() {
    return homeAnswers;
  }

  /** Returns why the last request to home failed; empty if it was answered. */
  public String homeProblem() {
    var problem = heartbeatProblem;
    return problem.isEmpty() ? shares.home().problem() : problem;
  }

  /** Returns the time of the last answered request to home; zero if there was none. */
  public Duration homeRoundTrip() {
    return Duration.ofNanos(shares.home().roundTripMicros() * 1_000);
  }

  /** Returns the number of requests for shares that were sent to home. */
  public long homeRequests() {
    return shares.requests();
  }

  /** Returns the number of requests for shares that failed. */
  public long homeFailures() {
    return shares.failures();
  }

  /** Returns the shares of this instance by rule. */
  public Map<String, RegionReport.Share> shares() {
    var all = new TreeMap<String, RegionReport.Share>();
    shares
        .byRule()
        .forEach((rule, share) ->
            all.put(
                rule,
                new RegionReport.Share(share.counters(), share.held(), share.demandPerSecond())));
    return all;
  }

  /** Returns the last reports of all instances of all regions, as home had them. */
  public List<RegionReport> reports() {
    return reports;
  }

  /** Returns the time since {@link #reports} were read from home. */
  public Duration reportsAge() {
    return Duration.ofNanos(System.nanoTime() - reportsAt);
  }

  /**
   * Executes a call of an instance of another region, which has this region's service as its home.
   *
   * @param call the bytes that its {@code RegionalStore} sent
   * @return the bytes to answer; the stage does not fail
   * @throws IllegalArgumentException if the call is malformed; nothing is executed then
   * @throws UnsupportedOperationException if this instance has no connection to home's Redis
   */
  public CompletionStage<byte[]> executeAtHome(byte[] call) {
    return home.relay(call);
  }

  /** Returns all shares to home, and closes the connections. */
  @Override
  public void close() {
    shares.close();
    super.close();
    executor.close();
    home.close();
  }
}
