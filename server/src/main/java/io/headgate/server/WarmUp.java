package io.headgate.server;

import static java.util.Objects.requireNonNull;

import io.headgate.RateLimiter;
import io.headgate.http.TrustedProxies;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.EnvoyAttributes;
import io.headgate.server.WarmUpTurns.Protocol;
import io.headgate.server.api.AccessControl;
import io.headgate.server.grpc.GrpcSettings;
import io.headgate.server.http.transport.ConnectionLimits;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the code of a check before the public port opens, so that the first requests do not wait for
 * class loading and compilation.
 *
 * <p>A second service, on an ephemeral loopback port, receives HTTP/1.1 checks and Envoy's gRPC
 * calls over real connections, one protocol at a time. It has its own rules, store, statistics and
 * metrics, so that no warm-up call is counted. It ends after a fixed number of calls of each
 * protocol or at a deadline; both protocols get the same time until one is complete.
 *
 * <p>The deadline bounds the whole delay. On a busy machine the second service alone may take
 * longer to start and to stop; a warm-up that is not over at its deadline ends by itself, in the
 * background.
 */
public final class WarmUp {
  /** Calls of each protocol; enough for the optimizing compiler to compile the path of a check. */
  static final int CALLS = 8_000;

  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

  /**
   * One for each core, but not one alone. More clients only take the cores from the compiler: on
   * two cores, 8 clients completed 40% to 75% of the calls that 2 did.
   */
  private static final int CLIENTS = Math.clamp(ServiceSettings.cores(), 2, 8);

  private static final long TURN_NANOS = Duration.ofMillis(100).toNanos();

  /**
   * After so many calls a connection is replaced. The code that accepts one is cold at first as
   * well: 48 clients that connected at once waited 100 to 180 ms for it.
   */
  private static final int CALLS_PER_CONNECTION = 25;

  /**
   * The result of a warm-up.
   *
   * @param target the target number of calls of each protocol
   * @param http completed checks over HTTP/1.1
   * @param grpc completed calls over gRPC
   * @param failed connections that ended with an error, and calls without a decision
   * @param took the duration
   */
  public record Result(int target, int http, int grpc, int failed, Duration took) {
    /** Returns whether the target was reached before the deadline. */
    public boolean isComplete() {
      return http >= target && grpc >= target;
    }
  }

  private final long end;
  private final int target;
  private final InetSocketAddress address;
  private final Queue<Closeable> open = new ConcurrentLinkedQueue<>();
  private final Map<Protocol, AtomicInteger> calls = new EnumMap<>(Protocol.class);
  private final AtomicInteger failed = new AtomicInteger();

  private WarmUp(int port, long end, int target) {
    this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    this.target = target;
    this.end = end;
    for (var protocol : Protocol.values()) calls.put(protocol, new AtomicInteger());
  }

  /**
   * Warms up, writes one line to the log, and closes the store. A failure is logged and does not
   * prevent the start. Returns at the deadline, even if the warm-up is not over by then.
   *
   * @param store decides the calls; must not be the store to serve from
   * @param maxDuration the maximum duration
   */
  public static void run(Store store, Duration maxDuration) throws InterruptedException {
    var warmUp =
        Thread.ofPlatform()
            .daemon()
            .name("warm-up")
            .start(() -> {
              try {
                var unused = run(store, maxDuration, CALLS);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } catch (RuntimeException e) {
                LOG.warn("cannot warm up; the first calls may take longer", e);
              }
            });
    if (!warmUp.join(maxDuration)) {
      LOG.info(
          "the warm-up is not over after {} ms, and ends in the background; the first calls may"
              + " take longer",
          maxDuration.toMillis());
    }
  }

  /**
   * Warms up on this thread, and returns when the second service has stopped.
   *
   * @param maxDuration how long after the start of this method no more calls are made
   * @param calls the number of calls of each protocol
   */
  static Result run(Store store, Duration maxDuration, int calls) throws InterruptedException {
    long startNanos = System.nanoTime();
    long end = startNanos + maxDuration.toNanos();
    var rules = rules();
    Result result;
    try (var limiter = RateLimiter.with(store, rules);
        var service =
            Service.start(
                settings(),
                GrpcSettings.DEFAULT,
                limiter,
                InMemoryRuleRepository.of(rules),
                new StoreMetrics(),
                Ticker.system())) {
      result = new WarmUp(service.port(), end, calls).runCalls(startNanos);
    } catch (IOException e) {
      LOG.warn("cannot warm up: {}; the first calls may take longer", e.getMessage());
      return new Result(calls, 0, 0, 1, Duration.ofNanos(System.nanoTime() - startNanos));
    }
    log(result);
    return result;
  }

  private static void log(Result result) {
    long millis = result.took.toMillis();
    if (result.isComplete()) {
      LOG.info("warmed up in {} ms", millis);
    } else {
      LOG.info(
          "ended the warm-up after {} ms with {} HTTP and {} gRPC calls of {} each; the first calls"
              + " may take longer",
          millis,
          result.http,
          result.grpc,
          result.target);
    }
  }

  /** Rules whose plans are representative: one limit, several rules, denials. */
  private static RuleSet rules() {
    return RuleSet.of(
        Rule.named("key")
            .match("key", "*")
            .limit(TokenBucket.of(Rate.perSecond(1_000_000)))
            .build(),
        Rule.named("user")
            .match("user", "*")
            .limit(FixedWindow.of(Rate.perSecond(1_000_000)))
            .build(),
        Rule.named("path").match("path", "/*").limit(SlidingWindow.of(Rate.perSecond(10))).build(),
        Rule.named("domain")
            .match(EnvoyAttributes.DOMAIN, "*")
            .limit(FixedWindow.of(Rate.perSecond(1_000_000)))
            .build());
  }

  private static ServiceSettings settings() {
    return new ServiceSettings(
        InetAddress.getLoopbackAddress().getHostAddress(),
        0,
        AccessControl.OPEN,
        ConnectionLimits.DEFAULT,
        TrustedProxies.NONE,
        Optional.empty(),
        Optional.empty(),
        Duration.ZERO,
        Duration.ZERO,
        ServiceSettings.cores());
  }

  private Result runCalls(long startNanos) throws InterruptedException {
    var turns = new WarmUpTurns();
    while (System.nanoTime() - end < 0) {
      var next = turns.next(unfinished());
      if (next.isEmpty()) break;
      long turnStart = System.nanoTime();
      runTurn(next.get(), turnStart + Math.min(TURN_NANOS, end - turnStart));
      turns.record(next.get(), System.nanoTime() - turnStart);
    }
    return new Result(
        target,
        count(Protocol.HTTP).get(),
        count(Protocol.GRPC).get(),
        failed.get(),
        Duration.ofNanos(System.nanoTime() - startNanos));
  }

  private AtomicInteger count(Protocol protocol) {
    return requireNonNull(calls.get(protocol));
  }

  private Set<Protocol> unfinished() {
    var unfinished = EnumSet.noneOf(Protocol.class);
    for (var protocol : Protocol.values()) {
      if (count(protocol).get() < target) unfinished.add(protocol);
    }
    return unfinished;
  }

  /** Runs all clients with one protocol until their turn ends. */
  private void runTurn(Protocol protocol, long turnEnd) throws InterruptedException {
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < CLIENTS; i++) {
      int client = i;
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .name("warm-up-client")
              .start(() -> runClient(protocol, client, turnEnd)));
    }
    for (var thread : threads) {
      long remaining = end - System.nanoTime();
      if (remaining > 0) thread.join(Duration.ofNanos(remaining));
    }
    if (System.nanoTime() - end >= 0) {
      for (var connection : open) closeQuietly(connection); // ends pending reads
    }
    for (var thread : threads) thread.join();
  }

  private void connectionFailed(IOException problem) {
    if (System.nanoTime() - end >= 0) return; // closed at the deadline
    failed.incrementAndGet();
    LOG.debug("a connection of the warm-up ended", problem);
  }

  private static void closeQuietly(Closeable connection) {
    try {
      connection.close();
    } catch (IOException e) {
      LOG.debug("a connection of the warm-up did not close", e);
    }
  }

  private boolean isDone(Protocol protocol, long turnEnd) {
    return count(protocol).get() >= target || System.nanoTime() - turnEnd >= 0;
  }

  private void runClient(Protocol protocol, int client, long turnEnd) {
    while (!isDone(protocol, turnEnd)) {
      try (var connection = connect(protocol)) {
        open.add(connection);
        try {
          for (int i = 0; i < CALLS_PER_CONNECTION && !isDone(protocol, turnEnd); ) {
            int decided = connection.call(client, i);
            count(protocol).addAndGet(decided);
            if (decided == 0) failed.incrementAndGet();
            i += Math.max(1, decided);
          }
        } finally {
          open.remove(connection);
        }
      } catch (IOException e) {
        connectionFailed(e);
        return;
      }
    }
  }

  private WarmUpConnection connect(Protocol protocol) throws IOException {
    return switch (protocol) {
      case HTTP -> new WarmUpHttp(address);
      case GRPC -> new WarmUpGrpc(address, WarmUpGrpc.BATCH);
    };
  }
}
