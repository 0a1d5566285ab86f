package io.headgate.server.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.ExpectedRevision;
import io.headgate.store.InstanceChannel;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.TestEffort;
import io.headgate.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests how a change reaches five instances over one real database, and which rules they enforce.
 */
class PropagationTest {
  private static final int INSTANCES = 5;
  private static final int CHANGES = Integer.getInteger("headgate.changes", 6);
  private static final int CHANGE_COUNT = TestEffort.of(150, 300);
  private static final long CHANGE_INTERVAL_NANOS = 10_000_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final ChangeInfo AUTHOR = new ChangeInfo("author", "");

  @TempDir Path folder;

  /** One instance: a repository and the limiter that follows it. */
  private record Instance(
      DatabaseRuleRepository repository, RateLimiter limiter, AtomicLong enforced)
      implements AutoCloseable {
    @Override
    public void close() {
      repository.close();
      limiter.close();
    }
  }

  private final List<Instance> instances = new ArrayList<>();

  private void start(Optional<RedisServer> redis, Duration pollInterval) {
    var address = DatabaseAddress.parse(PostgresServer.shared().newDatabase(), folder);
    for (int i = 0; i < INSTANCES; i++) {
      Store store =
          redis
              .<Store>map(server -> RedisStore.connect(server.uri()))
              .orElseGet(MemoryStore::create);
      var bulletin =
          Optional.of(store)
              .filter(RedisStore.class::isInstance)
              .<InstanceChannel>map(s -> ((RedisStore) s).broadcast());
      var settings =
          new DatabaseRuleRepository.Settings(
              address,
              folder.resolve("copy%d.json".formatted(i)),
              pollInterval,
              bulletin,
              InstantSource.system());
      var repository =
          DatabaseRuleRepository.open(settings, new Seed(RuleSet.of(twoRules(1)), AUTHOR));
      var limiter = RateLimiter.with(store, repository.inForce().rules());
      var enforced = new AtomicLong();
      instances.add(new Instance(repository, limiter, enforced));
      repository.follow(snapshot -> {
        limiter.replaceRules(snapshot.rules());
        enforced.set(snapshot.number());
      });
    }
  }

  /** Returns two rules that apply to the same caller and always have the same limit. */
  private static List<Rule> twoRules(long limit) {
    var bucket = TokenBucket.of(Rate.of(1_000_000 + limit, Duration.ofSeconds(1)));
    return List.of(
        Rule.named("left").match("key", "*").limit(bucket).build(),
        Rule.named("right").match("key", "*").limit(bucket).build());
  }

  private void closeAll() {
    instances.forEach(Instance::close);
  }

  /**
   * Returns the times from the acceptance of a change to its enforcement everywhere, in
   * microseconds, sorted.
   */
  private long[] measure() {
    var micros = new long[CHANGES];
    for (int i = 0; i < CHANGES; i++) {
      var rules = twoRules(100 + i);
      var from = instances.get(i % INSTANCES).repository();
      long number = from.change(ExpectedRevision.any(), AUTHOR, old -> rules).number();
      long accepted = System.nanoTime();
      long end = accepted + TIMEOUT.toNanos();
      while (instances.stream().anyMatch(instance -> instance.enforced().get() < number)) {
        assertThat(System.nanoTime()).as("time to reach every instance").isLessThan(end);
        LockSupport.parkNanos(100_000);
      }
      micros[i] = (System.nanoTime() - accepted) / 1_000;
    }
    Arrays.sort(micros);
    return micros;
  }

  private static void report(String transport, long[] micros) {
    System.out.printf(
        Locale.ROOT,
        "from accepted to enforced by %d instances, %s: median %.1f ms, longest of %d %.1f ms%n",
        INSTANCES,
        transport,
        micros[micros.length / 2] / 1e3,
        micros.length,
        micros[micros.length - 1] / 1e3);
  }

  @Test
  void changeReachesEveryInstanceThroughRedis() {
    try (var redis = RedisServer.start()) {
      // The poll interval is too long for the database to deliver the change in time.
      start(Optional.of(redis), Duration.ofMinutes(10));
      try {
        awaitSubscriptions();
        report("through Redis", measure());
      } finally {
        closeAll();
      }
    }
  }

  /** Changes the rules repeatedly until every instance receives notifications. */
  private void awaitSubscriptions() {
    var limit = new AtomicLong(1_000);
    Eventually.holds(
        "all are subscribed",
        TIMEOUT,
        () -> {
          var rules = twoRules(limit.incrementAndGet());
          var first = instances.getFirst().repository();
          long number = first.change(ExpectedRevision.any(), AUTHOR, old -> rules).number();
          long end = System.nanoTime() + 200_000_000;
          while (System.nanoTime() < end) {
            if (instances.stream().allMatch(instance -> instance.enforced().get() >= number))
              return true;
            LockSupport.parkNanos(1_000_000);
          }
          return false;
        });
  }

  @Test
  void changeReachesEveryInstanceByPollingWithoutRedis() {
    start(Optional.empty(), Duration.ofSeconds(1));
    try {
      report("polling the database every second", measure());
    } finally {
      closeAll();
    }
  }

  @Test
  void databaseIsPolledWhenRedisIsUnavailable() {
    try (var redis = RedisServer.start()) {
      start(Optional.of(redis), Duration.ofMillis(200));
      try {
        redis.kill();
        var rules = twoRules(7);
        var first = instances.getFirst().repository();
        long number = first.change(ExpectedRevision.any(), AUTHOR, old -> rules).number();
        Eventually.holds(
            "all enforce it",
            TIMEOUT,
            () -> instances.stream().allMatch(instance -> instance.enforced().get() == number));
        assertThat(first.condition().problem()).isEmpty();
      } finally {
        closeAll();
      }
    }
  }

  @Test
  void invalidContentInRedisIsIgnored() {
    try (var redis = RedisServer.start()) {
      start(Optional.of(redis), Duration.ofMillis(200));
      try {
        var first = instances.getFirst().repository();
        String key = redis.call("KEYS", "headgate:rules:*").items().getFirst().toString();
        redis.call("SET", key, "nonsense");
        redis.call("PUBLISH", key, "999");
        redis.call("PUBLISH", key, "nonsense");
        var rules = twoRules(8);
        long number = first.change(ExpectedRevision.any(), AUTHOR, old -> rules).number();
        Eventually.holds(
            "all enforce it",
            TIMEOUT,
            () -> instances.stream().allMatch(instance -> instance.enforced().get() == number));
      } finally {
        closeAll();
      }
    }
  }

  /**
   * Returns the number of distinct limits of the two rules that decided a check: 1 unless it saw
   * half a change.
   */
  private static long limits(CheckResult result) {
    return result.limits().stream().map(report -> report.limit()).distinct().count();
  }

  @Test
  void eachCheckIsDecidedByOneCompleteSnapshotDuringChanges() {
    try (var redis = RedisServer.start()) {
      start(Optional.of(redis), Duration.ofSeconds(1));
      var stop = new AtomicBoolean();
      var checks = new AtomicLong();
      var torn = new AtomicLong();
      var backwards = new AtomicLong();
      for (var instance : instances) recordOrder(instance, backwards);
      try {
        var callers =
            instances.stream()
                .map(instance -> inThread(() -> check(instance, stop, checks, torn)))
                .toArray(CompletableFuture<?>[]::new);
        long began = System.nanoTime();
        changeRepeatedly(began);
        double seconds = (System.nanoTime() - began) / 1e9;
        Eventually.holds(
            "all enforce the last",
            TIMEOUT,
            () ->
                instances.stream()
                    .allMatch(instance -> instance.enforced().get() == CHANGE_COUNT + 1));
        stop.set(true);
        CompletableFuture.allOf(callers).join(); // fails if a check did
        System.out.printf(
            Locale.ROOT,
            "%d changes in %.1f s (%.0f a second), %d checks meanwhile%n",
            CHANGE_COUNT,
            seconds,
            CHANGE_COUNT / seconds,
            checks.get());
        assertThat(checks.get()).isPositive();
        assertThat(torn.get()).as("checks decided by half of a change").isZero();
        assertThat(backwards.get()).as("snapshots that arrived after a newer one").isZero();
      } finally {
        stop.set(true);
        closeAll();
      }
    }
  }

  private static CompletableFuture<Void> inThread(Runnable task) {
    return CompletableFuture.runAsync(task, run -> new Thread(run).start());
  }

  /** Makes each change at its time, or as soon after it as possible. */
  private void changeRepeatedly(long began) {
    for (int i = 0; i < CHANGE_COUNT; i++) {
      LockSupport.parkNanos(began + i * CHANGE_INTERVAL_NANOS - System.nanoTime());
      var rules = twoRules(10_000 + i);
      // from each instance in turn
      var repository = instances.get(i * INSTANCES / CHANGE_COUNT).repository();
      repository.change(ExpectedRevision.any(), AUTHOR, old -> rules);
    }
  }

  private static void recordOrder(Instance instance, AtomicLong backwards) {
    var last = new AtomicLong();
    instance
        .repository()
        .follow(snapshot -> {
          if (last.getAndSet(snapshot.number()) >= snapshot.number()) {
            backwards.incrementAndGet();
          }
        });
  }

  private static void check(
      Instance instance, AtomicBoolean stop, AtomicLong checks, AtomicLong torn) {
    while (!stop.get()) {
      var result = instance.limiter().checkForResult(Subject.of("k"));
      if (limits(result) != 1 || result.limits().size() != 2) torn.incrementAndGet();
      checks.incrementAndGet();
      LockSupport.parkNanos(2_000_000);
    }
  }
}
