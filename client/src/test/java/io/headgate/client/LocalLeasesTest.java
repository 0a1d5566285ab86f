package io.headgate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Charge;
import io.headgate.rule.Consistency;
import io.headgate.rule.Plan;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.store.ForwardingStore;
import io.headgate.store.HoldStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LocalLeasesTest {
  private static final Subject ADA = Subject.of("user:ada");
  private static final Rule HOURLY =
      Rule.named("hourly")
          .match("key", "user:*")
          .limit(FixedWindow.of(Rate.perHour(1_000)))
          .consistency(Consistency.LEASED)
          .build();

  /** Deadlines that a busy machine keeps, so that no reply gets lost. */
  private static ClientOptions.Builder options(TestService service) {
    return ClientOptions.builder(service.url()).deadline(Duration.ofSeconds(30));
  }

  private static HeadgateClient leasing(TestService service) {
    return HeadgateClient.connect(
        options(service).localLeases(10_000).maxDenialAge(Duration.ofMillis(20)).build());
  }

  private static long remaining(TestService service) {
    return service.limiter().peek(ADA).limits().getFirst().remaining();
  }

  /** Checks until the lease decides; returns the number of checks that were made. */
  private static int checkUntilLeased(HeadgateClient client) {
    for (int checks = 1; checks <= 20; checks++) {
      var result = client.checkForResult(ADA);
      assertThat(result.isAllowed()).isTrue();
      if (result.source() == Source.LEASE) return checks;
    }
    throw new AssertionError("no lease within 20 checks");
  }

  @Test
  void severalClientsAdmitExactlyTheLimit() throws Exception {
    int clients = 4;
    var admitted = new AtomicInteger();
    try (var service = TestService.with(HOURLY);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var open = new ArrayList<HeadgateClient>();
      for (int i = 0; i < clients; i++) open.add(leasing(service));
      var ends = new ArrayList<Future<?>>();
      for (var client : open) {
        ends.add(
            threads.submit(() -> {
              while (admitted.get() < 1_000) {
                if (client.check(ADA).isAllowed()) admitted.incrementAndGet();
              }
              for (int i = 0; i < 200; i++) {
                if (client.check(ADA).isAllowed()) admitted.incrementAndGet();
              }
              return null;
            }));
      }
      for (var end : ends) end.get();
      open.forEach(HeadgateClient::close);
      assertThat(admitted).hasValue(1_000);
      assertThat(remaining(service)).isZero();
    }
  }

  @Test
  void zipfTrafficCausesAtMostATwentiethOfTheRequests() {
    int checks = 100_000;
    int callers = 300;
    var rule =
        Rule.named("per-user")
            .match("key", "user:*")
            .limit(TokenBucket.of(Rate.perMinute(10_000)))
            .consistency(Consistency.LEASED)
            .build();
    var store = new CountingStore();
    try (var service = TestService.over(store, 0, rule)) {
      long operations;
      long renewals;
      try (var client = leasing(service)) {
        long since = System.nanoTime();
        var random = new Random(42);
        var weights = cumulativeZipf(callers);
        for (int i = 0; i < checks; i++) {
          int at = Arrays.binarySearch(weights, random.nextDouble() * weights[callers - 1]);
          client.check(Subject.of("user:" + (at < 0 ? -at - 1 : at)));
        }
        operations = store.operations.get();
        // The longer it takes, the more leases of rare callers end: after 10 s without a check.
        renewals = callers * TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - since) / 10;
      }
      System.out.printf(
          "%d checks of %d callers by Zipf's law: %d requests, %.1f checks for each%n",
          checks, callers, operations, (double) checks / operations);
      assertThat(operations).isLessThanOrEqualTo(checks / 20 + renewals);
    }
  }

  private static double[] cumulativeZipf(int count) {
    var weights = new double[count];
    double sum = 0;
    for (int i = 0; i < count; i++) weights[i] = sum += 1.0 / (i + 1);
    return weights;
  }

  @Test
  void unusedPermitsAreReturnedOnClose() {
    try (var service = TestService.with(HOURLY)) {
      int checks;
      try (var client = leasing(service)) {
        checks = checkUntilLeased(client);
        assertThat(remaining(service)).as("held").isLessThan(1_000 - checks);
      }
      assertThat(remaining(service)).isEqualTo(1_000 - checks);
    }
  }

  @Test
  void unusedPermitsAreReturnedWhenTheCallerIsIdle() {
    try (var service = TestService.with(HOURLY);
        var client = leasing(service)) {
      int checks = checkUntilLeased(client);
      Eventually.holds(
          "unused permits are returned",
          Duration.ofSeconds(20),
          () -> remaining(service) == 1_000 - checks);
    }
  }

  @Test
  void lostServiceEndsALeaseNoLaterThanItsTimeToLive() {
    var rule =
        Rule.named("short")
            .match("key", "user:*")
            .limit(TokenBucket.of(Rate.of(100_000, Duration.ofSeconds(4))))
            .consistency(Consistency.LEASED)
            .build();
    HeadgateClient client;
    try (var service = TestService.with(rule)) {
      client =
          HeadgateClient.connect(
              ClientOptions.builder(service.url())
                  .localLeases(10)
                  .failureMode(FailureMode.DENY)
                  .build());
      checkUntilLeased(client);
    }
    Eventually.holds(
        "the failure mode decides",
        Duration.ofSeconds(20),
        () -> client.checkForResult(ADA).source() == Source.FALLBACK);
    assertThat(client.check(ADA).isAllowed()).isFalse();
    client.close();
  }

  @Test
  void restartedServiceIsChargedTheUsageOfAnEarlierLease() {
    int port;
    HeadgateClient client;
    int checks;
    var store = MemoryStore.create(); // as a store that outlives the service
    try (var service = TestService.over(store, 0, HOURLY)) {
      port = service.port();
      client = leasing(service);
      checks = checkUntilLeased(client);
      client.check(ADA);
    }
    try (var restarted = TestService.over(store, port, HOURLY)) {
      client.close();
      assertThat(remaining(restarted)).isEqualTo(1_000 - checks - 1);
    }
  }

  /** The counters are lost with the memory of the service, and with them what signs the lease. */
  @Test
  void serviceWithoutItsMemoryIsNotChargedTheUsageOfAnEarlierLease() {
    int port;
    HeadgateClient client;
    try (var service = TestService.with(HOURLY)) {
      port = service.port();
      client = leasing(service);
      checkUntilLeased(client);
    }
    try (var restarted = TestService.over(MemoryStore.create(), port, HOURLY)) {
      client.close();
      assertThat(remaining(restarted)).isEqualTo(1_000);
    }
  }

  @Test
  void rulesThatAreNotLeasedAreAskedEachTime() {
    var strict = Rule.named("strict").limit(FixedWindow.of(Rate.perHour(1_000))).build();
    try (var service = TestService.with(strict);
        var client = leasing(service)) {
      for (int i = 0; i < 20; i++) {
        assertThat(client.checkForResult(ADA).source()).isEqualTo(Source.STORE);
      }
    }
  }

  @Test
  void leasesAreOffByDefault() {
    try (var service = TestService.with(HOURLY);
        var client = HeadgateClient.connect(options(service).build())) {
      for (int i = 0; i < 20; i++) {
        assertThat(client.checkForResult(ADA).source()).isEqualTo(Source.STORE);
      }
    }
  }

  @Test
  void leasedResultHasTheRuleAndTheRemainingPermits() {
    try (var service = TestService.with(HOURLY);
        var client = leasing(service)) {
      int checks = checkUntilLeased(client);
      var result = client.checkForResult(ADA);
      assertThat(result.rule()).contains("hourly");
      assertThat(result.decision())
          .isInstanceOfSatisfying(
              Decision.Allowed.class,
              allowed -> assertThat(allowed.remaining()).isEqualTo(1_000 - checks - 1));
    }
  }

  /** Counts the operations of the service: at least one for each request that reaches it. */
  private static final class CountingStore extends ForwardingStore {
    final AtomicLong operations = new AtomicLong();

    CountingStore() {
      super(MemoryStore.create());
    }

    @Override
    public PlanResult decide(Plan plan) {
      operations.incrementAndGet();
      return super.decide(plan);
    }

    @Override
    public CompletionStage<PlanResult> decideAsync(Plan plan) {
      operations.incrementAndGet();
      return super.decideAsync(plan);
    }

    @Override
    public Optional<HoldStore> holds() {
      return super.holds().map(leases -> (charge, request) -> counted(leases, charge, request));
    }

    private CompletionStage<HoldStore.Reply> counted(
        HoldStore leases, Charge charge, HoldRequest request) {
      operations.incrementAndGet();
      return leases.hold(charge, request);
    }
  }
}
