package io.headgate.benchmarks;

import com.sun.management.ThreadMXBean;
import io.headgate.RateLimiter;
import io.headgate.client.ClientOptions;
import io.headgate.client.HeadgateClient;
import io.headgate.http.TrustedProxies;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Consistency;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.server.Service;
import io.headgate.server.ServiceSettings;
import io.headgate.server.api.AccessControl;
import io.headgate.server.grpc.GrpcSettings;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.server.stats.StatsSettings;
import io.headgate.servlet.DefaultSubjectResolver;
import io.headgate.servlet.HeadgateFilter;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/**
 * Reports what the servlet filter adds to a bare check, and what the client adds to a bare request.
 * The compared calls take turns in one JVM, so that a busy machine slows them down alike. The
 * filter is measured by the processor time of its thread, which other processes hardly change.
 */
final class JavaStack {
  private static final int TURNS = 21;

  private JavaStack() {}

  /** The median of the turns: nanoseconds of the processor and bytes for each call. */
  private record Cost(double nanos, double bytes) {
    String microseconds() {
      return JavaStack.microseconds(nanos);
    }

    String allocated() {
      return String.format(Locale.ROOT, "%.0f B", bytes);
    }
  }

  static String report(BenchmarkContext context) throws Exception {
    boolean full = context.effort() == Effort.FULL;
    return """
    The servlet filter (subject, decision and header fields) without a container, in memory. Processor time
    of the thread:

    %s
    The client, one check after the other to a service in the same process, over HTTP/1.1. Medians of
    the latency, and of its ratio in each turn:

    %s\
    """
        .formatted(filter(full ? 200_000 : 50_000), client(full ? 2_000 : 500));
  }

  private static Rule rule() {
    return Rule.named("per-client")
        .match("ip", "*")
        .limit(TokenBucket.of(Rate.perSecond(1_000_000_000)))
        .consistency(Consistency.LEASED)
        .build();
  }

  private static Table filter(int calls) throws Exception {
    try (var limiter = RateLimiter.inMemory(rule())) {
      var resolver = DefaultSubjectResolver.builder().trustedProxies(TrustedProxies.NONE).build();
      var filter = HeadgateFilter.builder(limiter).subject(resolver).build();
      var plain = HeadgateFilter.builder(limiter).headersOnAllowed(false).build();
      var http = new StubExchange();
      var subject = Request.of(Subject.of("ip", "192.0.2.1"));
      var costs =
          processorTimes(
              calls,
              () -> limiter.check(subject),
              () -> {
                filter.doFilter(http.request(), http.response(), http);
                return http;
              },
              () -> {
                plain.doFilter(http.request(), http.response(), http);
                return http;
              });
      var table = new Table("", "a request", "allocated", "more than the check");
      table.row("bare check", costs[0].microseconds(), costs[0].allocated(), "");
      table.row("filter", costs[1].microseconds(), costs[1].allocated(), more(costs[1], costs[0]));
      table.row(
          "filter without header fields on allowed requests",
          costs[2].microseconds(),
          costs[2].allocated(),
          more(costs[2], costs[0]));
      return table;
    }
  }

  private static String more(Cost cost, Cost bare) {
    return microseconds(cost.nanos - bare.nanos);
  }

  private static String microseconds(double nanos) {
    return String.format(Locale.ROOT, "%.2f µs", nanos / 1_000);
  }

  private static Table client(int calls) throws Exception {
    var limiter = RateLimiter.with(MemoryStore.create(), RuleSet.of(rule()));
    var settings =
        new ServiceSettings(
            "127.0.0.1", 0, AccessControl.OPEN, Duration.ofMinutes(1), Duration.ZERO, 1);
    try (limiter;
        var service =
            Service.start(
                settings,
                GrpcSettings.DEFAULT,
                StatsSettings.DEFAULT,
                limiter,
                InMemoryRuleRepository.of(limiter.rules()),
                new StoreMetrics(),
                Ticker.system());
        var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      String url = "http://127.0.0.1:" + service.port();
      var options = ClientOptions.builder(url).deadline(Duration.ofSeconds(30));
      var post =
          HttpRequest.newBuilder(URI.create(url + "/v1/check"))
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString("{\"subject\":{\"ip\":\"192.0.2.1\"}}"))
              .build();
      var subject = Subject.of("ip", "192.0.2.1");
      try (var client = HeadgateClient.connect(options.build());
          var leasing = HeadgateClient.connect(options.localLeases(100).build())) {
        var turns =
            latencies(
                calls,
                () -> http.send(post, BodyHandlers.ofByteArray()),
                () -> client.check(subject),
                () -> leasing.check(subject));
        var table = new Table("", "a check", "ratio to the bare request");
        var names =
            List.of("bare request of the JDK's client", "`HeadgateClient`", "with local leases");
        for (int i = 0; i < names.size(); i++) {
          var ratios = new double[TURNS];
          for (int turn = 0; turn < TURNS; turn++) ratios[turn] = turns[i][turn] / turns[0][turn];
          table.row(
              names.get(i),
              microseconds(median(turns[i])),
              String.format(Locale.ROOT, "%.2f", median(ratios)));
        }
        return table;
      }
    }
  }

  /** Returns the median cost of each call, over turns that alternate. */
  private static Cost[] processorTimes(int calls, Callable<?>... compared) throws Exception {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    var nanos = new double[compared.length][TURNS];
    var bytes = new double[compared.length][TURNS];
    for (int turn = -TURNS / 2; turn < TURNS; turn++) { // the first ones warm up
      for (int i = 0; i < compared.length; i++) {
        long allocated = threads.getCurrentThreadAllocatedBytes();
        long start = threads.getCurrentThreadCpuTime();
        for (int call = 0; call < calls; call++) compared[i].call();
        if (turn < 0) continue;
        nanos[i][turn] = (double) (threads.getCurrentThreadCpuTime() - start) / calls;
        bytes[i][turn] = (double) (threads.getCurrentThreadAllocatedBytes() - allocated) / calls;
      }
    }
    var costs = new Cost[compared.length];
    for (int i = 0; i < costs.length; i++) costs[i] = new Cost(median(nanos[i]), median(bytes[i]));
    return costs;
  }

  /** Returns the median latency of each call in each of the turns, which alternate. */
  private static double[][] latencies(int calls, Callable<?>... compared) throws Exception {
    var medians = new double[compared.length][TURNS];
    var nanos = new double[calls];
    for (int turn = -TURNS / 2; turn < TURNS; turn++) { // the first ones warm up
      for (int i = 0; i < compared.length; i++) {
        for (int call = 0; call < calls; call++) {
          long start = System.nanoTime();
          compared[i].call();
          nanos[call] = System.nanoTime() - start;
        }
        if (turn >= 0) medians[i][turn] = median(nanos);
      }
    }
    return medians;
  }

  private static double median(double[] values) {
    var sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
