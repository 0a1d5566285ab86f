package io.headgate.server;

import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.EnvoyAttributes;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.TrustedProxies;
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
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the code that decides requests before the public port opens, so that the first callers do
 * not wait for classes to be loaded and compiled.
 *
 * <p>A second service, on a loopback port that the system chooses, takes HTTP/1.1 checks and
 * Envoy's gRPC calls over real connections. It has rules, a store, statistics and metrics of its
 * own, so that nothing of it is counted. It ends after a number of calls, or when its time is up.
 */
public final class WarmUp {
  /** Enough for the optimizing compiler to have met the path of a check. */
  static final int CALLS = 8_000;

  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);
  private static final int CONNECTIONS = 4; // of each protocol, at a time

  /**
   * After so many calls a connection is replaced. The code that accepts one is cold at first as
   * well: 48 clients that connected at once waited 100 to 180 ms for it.
   */
  private static final int CALLS_PER_CONNECTION = 25;

  /**
   * How far a warm-up got.
   *
   * @param wanted how many of each were to be answered
   * @param http answered checks over HTTP/1.1
   * @param grpc answered calls over gRPC
   * @param failed connections that ended with an error, or calls without a decision
   */
  public record Result(int wanted, int http, int grpc, int failed, Duration took) {
    /** Whether the number of calls was reached, rather than the end of the time. */
    public boolean isComplete() {
      return http >= wanted && grpc >= wanted;
    }
  }

  private final int port;
  private final long end;
  private final int wanted;
  private final Queue<Closeable> open = new ConcurrentLinkedQueue<>();
  private final AtomicInteger http = new AtomicInteger();
  private final AtomicInteger grpc = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();

  private WarmUp(int port, long end, int wanted) {
    this.port = port;
    this.wanted = wanted;
    this.end = end;
  }

  /**
   * Warms up, writes one line to the log, and closes the store. A problem does not prevent the
   * start: it is logged, and the first callers may wait longer.
   *
   * @param store decides the calls; must not be the one that callers are counted in
   * @param longest how long to go on if the machine is too busy for the number of calls
   */
  public static Result run(Store store, Duration longest) throws InterruptedException {
    return run(store, longest, CALLS);
  }

  /**
   * @param calls how many of each protocol
   */
  static Result run(Store store, Duration longest, int calls) throws InterruptedException {
    long since = System.nanoTime();
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
      long end =
          System.nanoTime() + longest.toNanos(); // what has been loaded so far is needed anyway
      result = new WarmUp(service.port(), end, calls).drive(since);
    } catch (IOException e) {
      LOG.warn("can't warm up: {}; the first calls may take longer", e.getMessage());
      return new Result(calls, 0, 0, 1, Duration.ofNanos(System.nanoTime() - since));
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
          result.wanted);
    }
  }

  /** Every kind of a common plan: one limit, several rules, denials. */
  private static RuleSet rules() {
    return RuleSet.of(
        Rule.named("key")
            .match("key", "*")
            .limit(new TokenBucket(Rate.perSecond(1_000_000)))
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

  private Result drive(long since) throws InterruptedException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < CONNECTIONS; i++) {
      int number = i;
      threads.add(start(() -> http(address, number)));
      threads.add(start(() -> grpc(address)));
    }
    for (var thread : threads) {
      long rest = end - System.nanoTime();
      if (rest > 0) thread.join(Duration.ofNanos(rest));
    }
    for (var connection : open) closeQuietly(connection); // ends what still waits for an answer
    for (var thread : threads) thread.join();
    return new Result(
        wanted, http.get(), grpc.get(), failed.get(), Duration.ofNanos(System.nanoTime() - since));
  }

  private static Thread start(Runnable task) {
    return Thread.ofPlatform().daemon().name("warm-up").start(task);
  }

  private void ended(IOException problem) {
    if (System.nanoTime() - end >= 0) return; // closed, since the time is up
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

  private boolean isOver(AtomicInteger calls) {
    return calls.get() >= wanted || System.nanoTime() - end >= 0;
  }

  private void http(InetSocketAddress address, int number) {
    while (!isOver(http)) {
      try (var connection = new WarmUpHttp(address)) {
        open.add(connection);
        for (int i = 0; i < CALLS_PER_CONNECTION && !isOver(http); i++) {
          if (connection.check(number, i)) http.incrementAndGet();
          else failed.incrementAndGet();
        }
        open.remove(connection);
      } catch (IOException e) {
        ended(e);
        return;
      }
    }
  }

  private void grpc(InetSocketAddress address) {
    while (!isOver(grpc)) {
      try (var connection = new WarmUpGrpc(address)) {
        open.add(connection);
        for (int i = 0; i < CALLS_PER_CONNECTION && !isOver(grpc); ) {
          int answered = connection.callSome();
          grpc.addAndGet(answered);
          i += answered;
        }
        open.remove(connection);
      } catch (IOException e) {
        ended(e);
        return;
      }
    }
  }
}
