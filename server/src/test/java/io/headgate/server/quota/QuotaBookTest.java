package io.headgate.server.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision;
import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.State;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ForwardingStore;
import io.headgate.store.HoldStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import io.headgate.testkit.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Runs the book with models of proxies, a real memory store and a manual clock. */
class QuotaBookTest {
  private static final Duration TTL = Duration.ofSeconds(3);
  private static final Duration ROUND_TRIP = Duration.ofMillis(400);
  private static final Subject TENANT = Subject.of("tenant", "t");
  private static final QuotaSettings SETTINGS =
      new QuotaSettings(TTL, ROUND_TRIP, Duration.ofSeconds(6), 100, 50, 20);

  private final ManualTicker ticker = ManualTicker.create();
  private final long start = ticker.micros();
  private final List<Long> admissions = new ArrayList<>();

  private RateLimiter limiter(Rule... rules) {
    return RateLimiter.with(MemoryStore.create(ticker, 10_000), RuleSet.of(rules), ticker);
  }

  private static Rule perTenant(Limit limit) {
    return Rule.named("per-tenant").match("tenant", "*").limit(limit).build();
  }

  private static long remaining(RateLimiter limiter) {
    return ((Decision.Allowed) limiter.check(TENANT)).remaining();
  }

  private QuotaBook<String> book(RateLimiter limiter) {
    return new QuotaBook<>(limiter, SETTINGS, this::nanos);
  }

  private long nanos() {
    return (ticker.micros() - start) * 1_000;
  }

  /** A proxy whose messages take up to half of a round trip in each direction. */
  private final class Proxy {
    record Late<T>(long arrivesAt, T message) {}

    private final QuotaBook<String> book;
    private final Random random;
    private final ProxyBucket bucket;
    private final List<Late<QuotaAction<String>>> actions = new ArrayList<>();
    private final List<Late<ProxyBucket.Report>> reports = new ArrayList<>();
    private QuotaStream<String> stream;
    private boolean known;

    Proxy(QuotaBook<String> book, long seed, boolean allowsUnassigned) {
      this.book = book;
      this.random = new Random(seed);
      this.bucket = new ProxyBucket(allowsUnassigned);
      connect();
    }

    void connect() {
      stream =
          book.open(
                  sent -> {
                    for (var action : sent) actions.add(new Late<>(arrival(actions), action));
                  })
              .orElseThrow();
    }

    /** Loses the messages in flight, and continues with its assignment. */
    void reconnect() {
      book.close(stream);
      actions.clear();
      reports.clear();
      connect();
    }

    /** Loses its stream for ever; spends its assignment nevertheless. */
    void die() {
      book.close(stream);
      actions.clear();
      reports.clear();
    }

    private long arrival(List<? extends Late<?>> earlier) {
      long arrives = nanos() + random.nextLong(ROUND_TRIP.toNanos() / 2);
      return earlier.isEmpty() ? arrives : Math.max(arrives, earlier.getLast().arrivesAt());
    }

    void receive() {
      while (!actions.isEmpty() && actions.getFirst().arrivesAt <= nanos()) {
        switch (actions.removeFirst().message) {
          case QuotaAction.Assign<String>(var id, var strategy, boolean replaces) ->
              bucket.apply(strategy, replaces, TTL.toNanos(), nanos());
          case QuotaAction.Abandon<String> abandon -> {
            bucket.abandon();
            known = false;
          }
        }
      }
      while (!reports.isEmpty() && reports.getFirst().arrivesAt <= nanos()) {
        var report = reports.removeFirst().message;
        book.report(
            stream, List.of(new QuotaUsage<>("b", TENANT, report.allowed(), report.denied())));
      }
    }

    void request(int requests) {
      for (int i = 0; i < requests; i++) {
        if (bucket.request(nanos())) admissions.add(ticker.micros());
        if (!known) {
          known = true;
          report();
        }
      }
    }

    void report() {
      if (known) reports.add(new Late<>(arrival(reports), bucket.report()));
    }
  }

  private void advance(Duration time, QuotaBook<?> book, List<Proxy> proxies) {
    ticker.advance(time);
    book.tick();
    for (var proxy : proxies) proxy.receive();
  }

  /** Replays all admissions against the limit itself, which must admit every one of them. */
  private void assertWithin(Limit limit) {
    State state = State.FRESH;
    int admitted = 0;
    for (long at : admissions) {
      var step = limit.step(state, at, 1);
      assertThat(step.outcome())
          .as("admission %d of %d".formatted(admitted++, admissions.size()))
          .isInstanceOf(Passed.class);
      state = step.state();
    }
  }

  private static Limit limit(Random random) {
    long permits = 5L + random.nextInt(100);
    var rate = Rate.of(permits, Duration.ofSeconds(1 + random.nextInt(10)));
    return random.nextBoolean() ? TokenBucket.of(rate) : FixedWindow.of(rate);
  }

  @Property(tries = 60)
  void proxiesTogetherNeverExceedTheLimit(@ForAll long seed) {
    var random = new Random(seed);
    admissions.clear();
    var limit = limit(random);
    try (var limiter = limiter(perTenant(limit))) {
      var book = book(limiter);
      var proxies = new ArrayList<Proxy>();
      var dead = new ArrayList<Proxy>();
      for (int i = 0; i < 3; i++) proxies.add(new Proxy(book, random.nextLong(), false));
      for (int i = 0; i < 600; i++) {
        advance(Duration.ofMillis(50), book, proxies);
        for (var proxy : proxies) {
          if (random.nextInt(3) == 0) proxy.request(random.nextInt(10));
          if (i % 10 == 0) proxy.report();
        }
        for (var proxy : dead) proxy.request(1);
        if (random.nextInt(200) == 0) proxies.get(random.nextInt(3)).reconnect();
        if (random.nextInt(300) == 0) {
          int index = random.nextInt(3);
          proxies.get(index).die();
          dead.add(proxies.set(index, new Proxy(book, random.nextLong(), false)));
        }
      }
      assertThat(admissions).isNotEmpty();
      assertWithin(limit);
    }
  }

  /** Three proxies at three times the limit, with unequal shares of the requests. */
  @Test
  void mostOfTheLimitIsAdmitted() {
    var limit = TokenBucket.of(Rate.of(600, Duration.ofMinutes(1)));
    try (var limiter = limiter(perTenant(limit))) {
      var book = book(limiter);
      var proxies =
          List.of(new Proxy(book, 1, false), new Proxy(book, 2, false), new Proxy(book, 3, false));
      int steps = 2_400;
      for (int i = 0; i < steps; i++) {
        advance(Duration.ofMillis(50), book, proxies);
        proxies.get(0).request(1);
        if (i % 4 == 0) proxies.get(1).request(1);
        if (i % 4 == 1) proxies.get(2).request(1);
        if (i % 10 == 0) for (var proxy : proxies) proxy.report();
      }
      assertWithin(limit);
      assertThat(admissions).hasSizeGreaterThan((600 + 1_200) * 9 / 10);
    }
  }

  /** Ten proxies at twice the limit that report every 5 seconds, as Envoy does. */
  private double admittedPerSecond(int burst) {
    admissions.clear();
    var limit = new TokenBucket(Rate.of(200, Duration.ofSeconds(1)), burst);
    try (var limiter = limiter(perTenant(limit))) {
      var book = new QuotaBook<String>(limiter, QuotaSettings.DEFAULT, this::nanos);
      var proxies = new ArrayList<Proxy>();
      for (int i = 0; i < 10; i++) proxies.add(new Proxy(book, i, false));
      for (int i = 0; i < 2_400; i++) {
        advance(Duration.ofMillis(25), book, proxies);
        for (var proxy : proxies) proxy.request(1);
        if (i % 20 == 0) proxies.get(i / 20 % 10).report();
        if (i == 400) admissions.clear();
      }
      assertWithin(limit);
      return admissions.size() / 50.0;
    }
  }

  @Test
  void proxiesThatReportRarelyShareMostOfALimitWithABurstOfThreeSeconds() {
    assertThat(admittedPerSecond(600)).isGreaterThan(180);
    // Permits are held for two round trips and then refilled, which takes another second.
    assertThat(admittedPerSecond(200)).isGreaterThan(60);
  }

  /** A proxy that was paused for longer than its assignment lasts reports what it spent before. */
  @Test
  void permitsOfAPausedProxyAreChargedOnce() {
    var limit = FixedWindow.of(Rate.of(80, Duration.ofDays(1)));
    try (var limiter = limiter(perTenant(limit))) {
      var book = book(limiter);
      var stream = book.open(actions -> {}).orElseThrow();
      book.report(stream, List.of(new QuotaUsage<>("b", TENANT, 0, 1)));
      for (int i = 0; i < 40; i++) advance(Duration.ofMillis(100), book, List.of());
      assertThat(book.stats().expired()).isEqualTo(40);
      book.report(stream, List.of(new QuotaUsage<>("b", TENANT, 35, 100)));
      assertThat(book.stats().unassigned()).isZero();
      book.report(stream, List.of(new QuotaUsage<>("b", TENANT, 50, 0)));
      assertThat(book.stats().unassigned()).as("none of the first 40 are left").isPositive();
    }
  }

  @Test
  void thousandsOfProxiesShareOneLimit() {
    var limit = FixedWindow.of(Rate.of(1_000, Duration.ofDays(1)));
    var many = new QuotaSettings(TTL, ROUND_TRIP, Duration.ofSeconds(6), 2_000, 2_000, 1);
    try (var limiter = limiter(perTenant(limit))) {
      var book = new QuotaBook<String>(limiter, many, this::nanos);
      var proxies = new ArrayList<Proxy>();
      for (int i = 0; i < 2_000; i++) proxies.add(new Proxy(book, i, false));
      for (int i = 0; i < 40; i++) {
        for (var proxy : proxies) {
          proxy.request(1);
          if (i % 10 == 9) proxy.report();
        }
        advance(Duration.ofMillis(200), book, proxies);
      }
      assertThat(book.stats().streams()).isEqualTo(2_000);
      assertThat(admissions).hasSizeBetween(100, 1_000);
    }
  }

  @Test
  void permitsOfADeadProxyAreChargedWhenItsAssignmentExpires() {
    var limit = FixedWindow.of(Rate.of(80, Duration.ofDays(1)));
    try (var limiter = limiter(perTenant(limit))) {
      var book = book(limiter);
      var proxy = new Proxy(book, 1, false);
      proxy.request(1);
      advance(Duration.ofMillis(200), book, List.of(proxy));
      advance(Duration.ofMillis(200), book, List.of(proxy));
      assertThat(proxy.bucket.active()).isEqualTo(new QuotaStrategy.Tokens(40));
      proxy.die();
      advance(Duration.ofSeconds(2), book, List.of());
      assertThat(book.stats().outstanding()).isEqualTo(40);
      for (int i = 0; i < 20; i++) advance(Duration.ofMillis(200), book, List.of());
      assertThat(book.stats().outstanding()).isZero();
      assertThat(book.stats().expired()).isEqualTo(40);
      assertThat(book.stats().buckets()).isZero();
      assertThat(remaining(limiter)).isEqualTo(39);
    }
  }

  @Test
  void idleBucketIsAbandonedAndItsPermitsReturn() {
    var limit = FixedWindow.of(Rate.of(80, Duration.ofDays(1)));
    try (var limiter = limiter(perTenant(limit))) {
      var book = book(limiter);
      var proxy = new Proxy(book, 1, false);
      proxy.request(1);
      for (int i = 0; i < 60; i++) {
        advance(Duration.ofMillis(200), book, List.of(proxy));
        if (i % 5 == 0) proxy.report();
      }
      assertThat(proxy.known).isFalse();
      assertThat(book.stats().buckets()).isZero();
      assertThat(remaining(limiter)).isEqualTo(79);
      proxy.request(1);
      advance(Duration.ofMillis(200), book, List.of(proxy));
      advance(Duration.ofMillis(200), book, List.of(proxy));
      assertThat(proxy.bucket.request(nanos())).isTrue();
    }
  }

  @Test
  void requestsAdmittedWithoutAnAssignmentAreCharged() {
    var limit = FixedWindow.of(Rate.of(80, Duration.ofDays(1)));
    try (var limiter = limiter(perTenant(limit))) {
      var book = book(limiter);
      var stream = book.open(actions -> {}).orElseThrow();
      book.report(stream, List.of(new QuotaUsage<>("b", TENANT, 30, 0)));
      assertThat(remaining(limiter)).isEqualTo(80 - 30 - 40 - 1);
      assertThat(book.stats().unassigned()).isEqualTo(30);
    }
  }

  @Test
  void hugeReportChargesAtMostTheLimit() {
    var limit = TokenBucket.of(Rate.of(60, Duration.ofMinutes(1)));
    try (var limiter = limiter(perTenant(limit))) {
      var book = book(limiter);
      var stream = book.open(actions -> {}).orElseThrow();
      for (int i = 0; i < 10; i++) {
        book.report(stream, List.of(new QuotaUsage<>("b", TENANT, -1, -1)));
      }
      book.close(stream);
      for (int i = 0; i < 700; i++) advance(Duration.ofMillis(100), book, List.of());
      assertThat(limiter.check(TENANT).isAllowed()).isTrue();
    }
  }

  @Test
  void impossibleReportIsClampedAndCounted() {
    var limit = TokenBucket.of(Rate.of(60, Duration.ofMinutes(1)));
    try (var limiter = limiter(perTenant(limit))) {
      var book = book(limiter);
      var stream = book.open(actions -> {}).orElseThrow();
      book.report(stream, List.of(new QuotaUsage<>("b", TENANT, Long.MAX_VALUE, Long.MAX_VALUE)));
      assertThat(book.stats().admitted()).isEqualTo(60);
      assertThat(book.stats().denied()).isEqualTo(400_000); // a million a second, in a round trip
      assertThat(book.stats().clamped()).isEqualTo(2 * QuotaUsage.MAX_REQUESTS - 400_060);
      assertThat(book.stats().rules().getFirst().admitted()).isEqualTo(60);
    }
  }

  /** A store that fails while it is told to. */
  private static final class FailingStore extends ForwardingStore {
    boolean failing;

    FailingStore(Store delegate) {
      super(delegate);
    }

    @Override
    public Optional<HoldStore> holds() {
      var inner = super.holds().orElseThrow();
      return Optional.of((charge, request) ->
          failing
              ? CompletableFuture.failedStage(
                  new StoreException(StoreException.Kind.TIMEOUT, "no reply", null))
              : inner.hold(charge, request));
    }
  }

  @Test
  void assignmentsExpireWhileTheStoreIsUnavailableAndReturnAfterwards() {
    var limit = TokenBucket.of(Rate.of(600, Duration.ofMinutes(1)));
    var store = new FailingStore(MemoryStore.create(ticker, 1_000));
    try (var limiter = RateLimiter.with(store, RuleSet.of(perTenant(limit)), ticker)) {
      var book = book(limiter);
      var proxies = List.of(new Proxy(book, 1, false));
      for (int i = 0; i < 600; i++) {
        store.failing = i >= 100 && i < 250;
        proxies.getFirst().request(1);
        if (i % 10 == 0) proxies.getFirst().report();
        if (i == 240) admissions.clear();
        advance(Duration.ofMillis(50), book, proxies);
        if (i == 249) assertThat(admissions).isEmpty();
      }
      assertThat(admissions).isNotEmpty();
    }
  }

  @Test
  void ruleThatCannotBeAssignedIsDenied() {
    var leaky = LeakyBucket.of(Rate.of(10, Duration.ofSeconds(1)));
    try (var limiter = limiter(perTenant(leaky))) {
      assertThat(firstStrategy(book(limiter))).isEqualTo(new QuotaStrategy.DenyAll());
    }
  }

  @Test
  void shadowRuleNeverDeniesAndCountsWhatItWouldDeny() {
    var ten = FixedWindow.of(Rate.of(10, Duration.ofDays(1)));
    var rule = Rule.named("shadow").match("tenant", "*").limit(ten).mode(Mode.SHADOW).build();
    try (var limiter = limiter(rule)) {
      var book = book(limiter);
      var sent = new ArrayList<QuotaAction<String>>();
      var stream = book.open(sent::addAll).orElseThrow();
      for (int i = 0; i < 4; i++) {
        book.report(stream, List.of(new QuotaUsage<>("b", TENANT, 4, 0)));
      }
      book.report(stream, List.of(new QuotaUsage<>("b", TENANT, 100, 0)));
      assertThat(sent)
          .containsExactly(new QuotaAction.Assign<>("b", new QuotaStrategy.AllowAll(), true));
      assertThat(book.stats().rules())
          .containsExactly(new QuotaRuleStats("shadow", 1, 0, 116, 0, 106, 0));
    }
  }

  @Test
  void shadowRuleBesideAnEnforcedOneIsCountedAndNotAssigned() {
    var hundred = FixedWindow.of(Rate.of(100, Duration.ofDays(1)));
    var rolling = RollingWindow.of(Rate.of(1, Duration.ofDays(1)));
    var shadow = Rule.named("shadow").match("tenant", "*").limit(rolling).mode(Mode.SHADOW).build();
    try (var limiter = limiter(perTenant(hundred), shadow)) {
      var book = book(limiter);
      var stream = book.open(actions -> {}).orElseThrow();
      book.report(stream, List.of(new QuotaUsage<>("b", TENANT, 0, 1)));
      long assigned = book.stats().outstanding();
      book.report(stream, List.of(new QuotaUsage<>("b", TENANT, 3, 2)));
      var stats = book.stats().rules();
      assertThat(assigned).isPositive();
      assertThat(stats.getFirst())
          .extracting("rule", "admitted", "denied", "wouldDeny")
          .containsExactly("per-tenant", 3L, 3L, 0L);
      assertThat(stats.getLast())
          .extracting("rule", "admitted", "wouldDeny")
          .containsExactly("shadow", 3L, 2L);
    }
  }

  @Test
  void expiredPermitsAreCountedForTheRule() {
    try (var limiter = limiter(perTenant(FixedWindow.of(Rate.of(80, Duration.ofDays(1)))))) {
      var book = book(limiter);
      var stream = book.open(actions -> {}).orElseThrow();
      book.report(stream, List.of(new QuotaUsage<>("b", TENANT, 0, 1)));
      var before = book.stats().rules().getFirst();
      assertThat(before).extracting("buckets", "assigned").containsExactly(1L, 40L);
      for (int i = 0; i < 40; i++) advance(Duration.ofMillis(100), book, List.of());
      assertThat(book.stats().rules().getFirst())
          .extracting("assigned", "expired")
          .containsExactly(0L, 40L);
    }
  }

  @Test
  void bucketWithoutARuleIsAllowed() {
    try (var limiter = limiter()) {
      assertThat(firstStrategy(book(limiter))).isEqualTo(new QuotaStrategy.AllowAll());
    }
  }

  @Test
  void changedRuleAppliesFromTheNextReport() {
    try (var limiter = limiter()) {
      var book = book(limiter);
      var sent = new ArrayList<QuotaAction<String>>();
      var stream = book.open(sent::addAll).orElseThrow();
      var usage = List.of(new QuotaUsage<>("b", TENANT, 0, 1));
      book.report(stream, usage);
      limiter.replaceRules(RuleSet.of(perTenant(FixedWindow.of(Rate.of(80, Duration.ofDays(1))))));
      book.report(stream, usage);
      assertThat(sent)
          .containsExactly(
              new QuotaAction.Assign<>("b", new QuotaStrategy.AllowAll(), true),
              new QuotaAction.Assign<>("b", new QuotaStrategy.Tokens(40), true));
    }
  }

  @Test
  void smallerLimitAppliesToOutstandingPermits() {
    var large = FixedWindow.of(Rate.of(8_000, Duration.ofDays(1)));
    var small = FixedWindow.of(Rate.of(8, Duration.ofDays(1)));
    try (var limiter = limiter(perTenant(large))) {
      var book = book(limiter);
      var proxy = new Proxy(book, 1, false);
      for (int i = 0; i < 10; i++) {
        proxy.request(1);
        advance(Duration.ofMillis(200), book, List.of(proxy));
      }
      limiter.replaceRules(RuleSet.of(perTenant(small)));
      admissions.clear();
      proxy.report();
      for (int i = 0; i < 5; i++) advance(Duration.ofMillis(200), book, List.of(proxy));
      for (int i = 0; i < 100; i++) {
        proxy.request(10);
        if (i % 5 == 0) proxy.report();
        advance(Duration.ofMillis(100), book, List.of(proxy));
      }
      assertThat(admissions).hasSizeLessThanOrEqualTo(8);
    }
  }

  @Test
  void bucketsBeyondTheBoundAreDenied() {
    try (var limiter = limiter()) {
      var book = book(limiter);
      var sent = new ArrayList<QuotaAction<String>>();
      var stream = book.open(sent::addAll).orElseThrow();
      for (int i = 0; i < 30; i++) {
        book.report(stream, List.of(new QuotaUsage<>("b" + i, TENANT, 0, 1)));
      }
      assertThat(book.stats().buckets()).isEqualTo(20);
      assertThat(sent.getLast())
          .isEqualTo(new QuotaAction.Assign<>("b29", new QuotaStrategy.DenyAll(), true));
    }
  }

  @Test
  void ruleThatRequiresANamedCostDeniesTheBucket() {
    var hundred = FixedWindow.of(Rate.of(100, Duration.ofDays(1)));
    var rule =
        Rule.named("bytes")
            .match("tenant", "*")
            .limit(RuleLimit.of("bytes", hundred).withRequiredCost("bytes"))
            .build();
    try (var limiter = limiter(rule)) {
      assertThat(firstStrategy(book(limiter))).isEqualTo(new QuotaStrategy.DenyAll());
    }
  }

  @Test
  void streamsBeyondTheBoundAreRefused() {
    try (var limiter = limiter()) {
      var book = book(limiter);
      for (int i = 0; i < 100; i++) assertThat(book.open(actions -> {})).isPresent();
      assertThat(book.open(actions -> {})).isEmpty();
    }
  }

  private static QuotaStrategy firstStrategy(QuotaBook<String> book) {
    var sent = new ArrayList<QuotaAction<String>>();
    var stream = book.open(sent::addAll).orElseThrow();
    book.report(stream, List.of(new QuotaUsage<>("b", TENANT, 0, 1)));
    assertThat(sent).hasSize(1);
    return ((QuotaAction.Assign<String>) sent.getFirst()).strategy();
  }
}
