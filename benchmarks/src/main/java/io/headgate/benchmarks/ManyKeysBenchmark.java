package io.headgate.benchmarks;

import static java.util.Objects.requireNonNull;

import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.headgate.limit.Outcome.Passed;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures requests for many keys with a Zipf distribution.
 *
 * <p>The libraries have no table of keys, so they get a {@code ConcurrentHashMap}, as is usual for
 * their users. All keys exist before the measurement starts.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ManyKeysBenchmark {
  /** The keys and the order of requests, by Zipf's law. */
  @State(Scope.Benchmark)
  public static class Keys {
    private static final int DRAWN = 1 << 21;

    @Param("1000000")
    int count = 1_000_000;

    /**
     * The keys by rank. They equal the stored keys but are not the same objects, as in a request.
     */
    String[] requested = {};

    int[] ranks = {};

    @Setup
    public void setUp() {
      var random = new SplittableRandom(42);
      var numbers = IntStream.range(0, count).boxed().toList();
      var shuffled = new ArrayList<>(numbers);
      Collections.shuffle(shuffled, new Random(42));
      requested = shuffled.stream().map(Keys::key).toArray(String[]::new);
      ranks = new Zipf(count).draw(DRAWN, random);
    }

    static String key(int number) {
      return "user:" + number;
    }

    List<String> stored() {
      return IntStream.range(0, count).mapToObj(Keys::key).toList();
    }
  }

  /** A thread's position in the order of requests. */
  @State(Scope.Thread)
  public static class Cursor {
    private int at = new SplittableRandom().nextInt(Keys.DRAWN);

    int rank(Keys keys) {
      at = at + 1 & Keys.DRAWN - 1;
      return keys.ranks[at];
    }

    String key(Keys keys) {
      return keys.requested[rank(keys)];
    }
  }

  /** The baseline: one number per key. */
  @State(Scope.Benchmark)
  public static class Floor {
    private final CasBucket bucket = Quota.SLOW.floor(System::nanoTime);
    private final ConcurrentHashMap<String, AtomicLong> states = new ConcurrentHashMap<>();

    @Setup
    public void setUp(Keys keys) {
      keys.stored().forEach(key -> states.put(key, new AtomicLong(System.nanoTime())));
    }
  }

  /** One bucket4j object per key. */
  @State(Scope.Benchmark)
  public static class Bucket4j {
    private final ConcurrentHashMap<String, Bucket> states = new ConcurrentHashMap<>();

    @Setup
    public void setUp(Keys keys) {
      keys.stored().forEach(key -> states.put(key, Quota.SLOW.bucket4j(Clock.SYSTEM.meter())));
    }
  }

  /** One Guava object per key. */
  @State(Scope.Benchmark)
  public static class Guava {
    private final ConcurrentHashMap<String, com.google.common.util.concurrent.RateLimiter> states =
        new ConcurrentHashMap<>();

    @Setup
    public void setUp(Keys keys) {
      keys.stored().forEach(key -> states.put(key, Quota.SLOW.guava()));
    }
  }

  /** One resilience4j object per key. */
  @State(Scope.Benchmark)
  public static class Resilience4j {
    private final ConcurrentHashMap<String, RateLimiter> states = new ConcurrentHashMap<>();

    @Setup
    public void setUp(Keys keys) {
      var config = Quota.SLOW.resilience4j();
      keys.stored().forEach(key -> states.put(key, RateLimiter.of(key, config)));
    }
  }

  /** One rule and one store for all keys. */
  @State(Scope.Benchmark)
  public static class Headgate {
    /** Charged at the start, so that no key becomes fresh and is evicted during the measurement. */
    private static final long INITIAL_COST = 1_000;

    private final RuleSet rules =
        RuleSet.of(
            Rule.named("per-user").match("key", "user:*").limit(Quota.SLOW.headgate()).build());
    private MemoryStore store;
    private io.headgate.RateLimiter limiter;
    private Plan[] plans = {};

    @Setup
    public void setUp(Keys keys) {
      // Capacity is divided among the store's segments, and keys are not spread quite evenly.
      store = MemoryStore.create(Ticker.system(), keys.count + keys.count / 2);
      limiter = io.headgate.RateLimiter.with(store, rules);
      keys.stored().forEach(key -> limiter.check(Request.of(Subject.of(key), INITIAL_COST)));
      plans = new Plan[keys.count];
      for (int rank = 0; rank < plans.length; rank++) {
        plans[rank] = rules.plan(Request.of(Subject.of(keys.requested[rank])), 0, 0);
      }
    }

    @TearDown
    public void requireAllKeys(Keys keys) {
      long tracked = store.trackedKeys();
      store.close();
      if (tracked != keys.count) {
        throw new IllegalStateException(
            "the store has %d keys of %d".formatted(tracked, keys.count));
      }
    }
  }

  @Benchmark
  public boolean floor(Keys keys, Cursor cursor, Floor floor) {
    return floor.bucket.take(requireNonNull(floor.states.get(cursor.key(keys))));
  }

  @Benchmark
  public boolean headgateStore(Keys keys, Cursor cursor, Headgate headgate) {
    var plan = headgate.plans[cursor.rank(keys)];
    return headgate.store.decide(plan).outcomes().getFirst() instanceof Passed;
  }

  @Benchmark
  public boolean headgateCheck(Keys keys, Cursor cursor, Headgate headgate) {
    return headgate.limiter.check(Subject.of(cursor.key(keys))).isAllowed();
  }

  @Benchmark
  public boolean bucket4j(Keys keys, Cursor cursor, Bucket4j bucket4j) {
    return requireNonNull(bucket4j.states.get(cursor.key(keys))).tryConsume(1);
  }

  @Benchmark
  public boolean guava(Keys keys, Cursor cursor, Guava guava) {
    return requireNonNull(guava.states.get(cursor.key(keys))).tryAcquire();
  }

  @Benchmark
  public boolean resilience4j(Keys keys, Cursor cursor, Resilience4j resilience4j) {
    return requireNonNull(resilience4j.states.get(cursor.key(keys))).acquirePermission();
  }
}
