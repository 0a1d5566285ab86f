package io.headgate.server.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Five instances over one real database: how a change reaches them, and what they decide. */
class PropagationTest {
  private static final int INSTANCES = 5;
  private static final int CHANGES = Integer.getInteger("headgate.changes", 6);
  private static final int STORM = 300;
  private static final long STORM_GAP_NANOS = 10_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final ChangeInfo SOMEBODY = new ChangeInfo("somebody", "");

  @TempDir Path folder;

  /** One instance: a book and the limiter that follows it. */
  private record Instance(DatabaseRuleRepository book, RateLimiter limiter, AtomicLong enforced)
      implements AutoCloseable {
    @Override
    public void close() {
      book.close();
      limiter.close();
    }
  }

  private final List<Instance> instances = new ArrayList<>();

  private void start(Optional<RedisServer> redis, Duration look) {
    var address = DatabaseAddress.parse(PostgresServer.shared().newDatabase(), folder);
    for (int i = 0; i < INSTANCES; i++) {
      Store store =
          redis
              .<Store>map(server -> RedisStore.connect(server.uri()))
              .orElseGet(MemoryStore::create);
      var bulletin =
          Optional.of(store)
              .filter(RedisStore.class::isInstance)
              .map(s -> ((RedisStore) s).bulletin());
      var terms =
          new DatabaseRuleRepository.Terms(
              address,
              folder.resolve("copy%d.json".formatted(i)),
              look,
              bulletin,
              InstantSource.system());
      var book = DatabaseRuleRepository.open(terms, new Seed(RuleSet.of(pair(1)), SOMEBODY));
      var limiter = RateLimiter.with(store, book.inForce().rules());
      var enforced = new AtomicLong();
      instances.add(new Instance(book, limiter, enforced));
      book.follow(edition -> {
        limiter.replaceRules(edition.rules());
        enforced.set(edition.number());
      });
    }
  }

  /** Two rules that apply to the same caller, and always have the same limit. */
  private static List<Rule> pair(long limit) {
    var bucket = new TokenBucket(Rate.of(1_000_000 + limit, Duration.ofSeconds(1)));
    return List.of(
        Rule.named("left").match("key", "*").limit(bucket).build(),
        Rule.named("right").match("key", "*").limit(bucket).build());
  }

  private void closeAll() {
    instances.forEach(Instance::close);
  }

  /** From the moment that the change was accepted; in microseconds, sorted. */
  private long[] measure() {
    var micros = new long[CHANGES];
    for (int i = 0; i < CHANGES; i++) {
      var rules = pair(100 + i);
      var from = instances.get(i % INSTANCES).book();
      long number = from.change(OptionalLong.empty(), SOMEBODY, old -> rules).number();
      long accepted = System.nanoTime();
      long end = accepted + PATIENCE.toNanos();
      while (instances.stream().anyMatch(there -> there.enforced().get() < number)) {
        assertThat(System.nanoTime()).as("time to reach every instance").isLessThan(end);
        LockSupport.parkNanos(100_000);
      }
      micros[i] = (System.nanoTime() - accepted) / 1_000;
    }
    Arrays.sort(micros);
    return micros;
  }

  private static void report(String how, long[] micros) {
    System.out.printf(
        Locale.ROOT,
        "from accepted to enforced by %d instances, %s: median %.1f ms, longest of %d %.1f ms%n",
        INSTANCES,
        how,
        micros[micros.length / 2] / 1e3,
        micros.length,
        micros[micros.length - 1] / 1e3);
  }

  @Test
  void aChangeReachesEveryInstanceThroughRedis() {
    try (var redis = RedisServer.start()) {
      // Nobody would hear of it from the database in time.
      start(Optional.of(redis), Duration.ofMinutes(10));
      try {
        awaitEars();
        report("through Redis", measure());
      } finally {
        closeAll();
      }
    }
  }

  /** Until every instance hears of changes, each is told again. */
  private void awaitEars() {
    var limit = new AtomicLong(1_000);
    Eventually.holds(
        "all listen",
        PATIENCE,
        () -> {
          var rules = pair(limit.incrementAndGet());
          var first = instances.getFirst().book();
          long number = first.change(OptionalLong.empty(), SOMEBODY, old -> rules).number();
          long end = System.nanoTime() + 200_000_000;
          while (System.nanoTime() < end) {
            if (instances.stream().allMatch(there -> there.enforced().get() >= number)) return true;
            LockSupport.parkNanos(1_000_000);
          }
          return false;
        });
  }

  @Test
  void aChangeReachesEveryInstanceWithoutRedisByAsking() {
    start(Optional.empty(), Duration.ofSeconds(1));
    try {
      report("asking the database every second", measure());
    } finally {
      closeAll();
    }
  }

  @Test
  void whenRedisIsGoneTheDatabaseIsAsked() {
    try (var redis = RedisServer.start()) {
      start(Optional.of(redis), Duration.ofMillis(200));
      try {
        redis.kill();
        var rules = pair(7);
        var first = instances.getFirst().book();
        long number = first.change(OptionalLong.empty(), SOMEBODY, old -> rules).number();
        Eventually.holds(
            "all enforce it",
            PATIENCE,
            () -> instances.stream().allMatch(there -> there.enforced().get() == number));
        assertThat(first.condition().problem()).isEmpty();
      } finally {
        closeAll();
      }
    }
  }

  @Test
  void whatIsNoRulesInRedisHarmsNobody() {
    try (var redis = RedisServer.start()) {
      start(Optional.of(redis), Duration.ofMillis(200));
      try {
        var first = instances.getFirst().book();
        String key = redis.call("KEYS", "headgate:rules:*").items().getFirst().toString();
        redis.call("SET", key, "nonsense");
        redis.call("PUBLISH", key, "999");
        redis.call("PUBLISH", key, "nonsense");
        var rules = pair(8);
        long number = first.change(OptionalLong.empty(), SOMEBODY, old -> rules).number();
        Eventually.holds(
            "all enforce it",
            PATIENCE,
            () -> instances.stream().allMatch(there -> there.enforced().get() == number));
      } finally {
        closeAll();
      }
    }
  }

  /** Limits of the two rules that decided a check; one of a kind unless it saw half a change. */
  private static long limits(CheckResult result) {
    return result.limits().stream().map(report -> report.limit()).distinct().count();
  }

  @Test
  void eachCheckIsDecidedByOneWholeEditionWhileChangesPourIn() {
    try (var redis = RedisServer.start()) {
      start(Optional.of(redis), Duration.ofSeconds(1));
      var stop = new AtomicBoolean();
      var checks = new AtomicLong();
      var torn = new AtomicLong();
      var backwards = new AtomicLong();
      for (var instance : instances) watchOrder(instance, backwards);
      try {
        var callers =
            instances.stream()
                .map(there -> inThread(() -> check(there, stop, checks, torn)))
                .toArray(CompletableFuture<?>[]::new);
        long began = System.nanoTime();
        pourIn(began);
        double seconds = (System.nanoTime() - began) / 1e9;
        Eventually.holds(
            "all enforce the last",
            PATIENCE,
            () -> instances.stream().allMatch(there -> there.enforced().get() == STORM + 1));
        stop.set(true);
        CompletableFuture.allOf(callers).join(); // fails if a check did
        System.out.printf(
            Locale.ROOT,
            "%d changes in %.1f s (%.0f a second), %d checks meanwhile%n",
            STORM,
            seconds,
            STORM / seconds,
            checks.get());
        assertThat(checks.get()).isPositive();
        assertThat(torn.get()).as("checks decided by half of a change").isZero();
        assertThat(backwards.get()).as("editions that came after a newer one").isZero();
      } finally {
        stop.set(true);
        closeAll();
      }
    }
  }

  private static CompletableFuture<Void> inThread(Runnable task) {
    return CompletableFuture.runAsync(task, run -> new Thread(run).start());
  }

  /** Each change at its time, or as soon after it as can be. */
  private void pourIn(long began) {
    for (int i = 0; i < STORM; i++) {
      LockSupport.parkNanos(began + i * STORM_GAP_NANOS - System.nanoTime());
      var rules = pair(10_000 + i);
      var book = instances.get(i * INSTANCES / STORM).book(); // by and by from each of them
      book.change(OptionalLong.empty(), SOMEBODY, old -> rules);
    }
  }

  private static void watchOrder(Instance instance, AtomicLong backwards) {
    var last = new AtomicLong();
    instance
        .book()
        .follow(edition -> {
          if (last.getAndSet(edition.number()) >= edition.number()) {
            backwards.incrementAndGet();
          }
        });
  }

  private static void check(
      Instance instance, AtomicBoolean stop, AtomicLong checks, AtomicLong torn) {
    while (!stop.get()) {
      var result = instance.limiter().checkForResult(Request.of(Subject.of("k")));
      if (limits(result) != 1 || result.limits().size() != 2) torn.incrementAndGet();
      checks.incrementAndGet();
      LockSupport.parkNanos(2_000_000);
    }
  }
}
