package io.headgate.server.cli.options;

import io.headgate.redis.KeyLayout;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.redis.RegionOptions;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.store.RedisStoreFactory;
import io.headgate.server.store.RegionStoreFactory;
import io.headgate.store.ConsistencyOptions;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options of the store that holds the counters. */
public final class StoreOptions {
  private static final String MEMORY = "memory";
  private static final int HEAP_PER_KEY = 1_024; // some 250 bytes are used for a long key
  private static final String CLUSTER = "cluster";
  private static final String WARM_UP_PREFIX = "warm-up:";
  private static final Duration WARM_UP_TIMEOUT = Duration.ofSeconds(1);
  private static final int WARM_UP_KEYS = 10_000;

  /** Reads a layout of keys. */
  public static final class Layout implements ITypeConverter<KeyLayout> {
    /** Creates a converter. */
    public Layout() {}

    @Override
    public KeyLayout convert(String value) {
      return switch (value) {
        case "separate" -> KeyLayout.SEPARATE;
        case "compact" -> KeyLayout.COMPACT;
        default ->
            throw new TypeConversionException(
                "'%s' is not valid; use separate or compact".formatted(value));
      };
    }
  }

  @Option(
      names = "--store",
      paramLabel = "WHERE",
      defaultValue = MEMORY,
      description =
          "Where counters are stored: memory (of this process), cluster (the instances"
              + " themselves, which --join names), or Redis, shared with other instances: redis://[user:password@]host:port[/database], rediss://… (TLS),"
              + " redis-sentinel://h1:p,h2:p/0#name, redis-cluster://h1:p,h2:p. Default:"
              + " ${DEFAULT-VALUE}")
  private String store = MEMORY;

  @Option(
      names = "--max-keys",
      paramLabel = "N",
      description =
          "The maximum number of counters in the memory store. Default: one for each kB of the"
              + " heap, at most "
              + MemoryStore.DEFAULT_MAX_KEYS)
  private Optional<Integer> maxKeys = Optional.empty();

  @Option(
      names = "--store-prefix",
      paramLabel = "TEXT",
      defaultValue = RedisOptions.DEFAULT_PREFIX,
      description =
          "The prefix of every key in Redis; instances that share counters use the same."
              + " Default: ${DEFAULT-VALUE}")
  private String prefix = RedisOptions.DEFAULT_PREFIX;

  @Option(
      names = "--store-layout",
      paramLabel = "LAYOUT",
      defaultValue = "separate",
      converter = Layout.class,
      description =
          "How counters are distributed over the keys of Redis: separate (each has its own) or"
              + " compact (those of a subject under one rule share a key, which takes half of the"
              + " memory). Instances that share counters use the same. Default: ${DEFAULT-VALUE}")
  private KeyLayout layout = KeyLayout.SEPARATE;

  @Option(
      names = "--store-timeout",
      paramLabel = "TIME",
      defaultValue = "50ms",
      converter = DurationText.class,
      description =
          "How long a request waits for Redis before the on-store-failure policies of its"
              + " rules decide. Default: ${DEFAULT-VALUE}")
  private Duration timeout = RedisOptions.DEFAULT_DEADLINE;

  @Option(
      names = "--store-ca",
      paramLabel = "FILE",
      description =
          "Certificates (PEM) to trust for rediss:// instead of the system's. Default: none")
  private Optional<Path> ca = Optional.empty();

  @Mixin private ClusterMemberOptions cluster;

  @Mixin private RegionMemberOptions region;

  @Option(
      names = "--sync-interval",
      paramLabel = "TIME",
      defaultValue = "100ms",
      converter = DurationText.class,
      description =
          "How often rules with eventual consistency report their counts to the store. Default:"
              + " ${DEFAULT-VALUE}")
  private Duration syncInterval = ConsistencyOptions.DEFAULT.syncInterval();

  /**
   * Opens the store; succeeds even if Redis is unavailable.
   *
   * @param directory what relative paths are resolved against
   * @param data the directory of what this instance keeps
   * @param metrics is registered as a listener of a Redis store
   * @throws CommandFailure if an option is not valid
   */
  public Store open(Path directory, Path data, StoreMetrics metrics) {
    var options = regionOptions(directory, metrics);
    if (options.isPresent()) {
      return withOptionName("--region", () -> RegionStoreFactory.open(options.get()));
    }
    requireLayoutOfRedis();
    if (isMemory()) {
      return withOptionName("--max-keys", () -> MemoryStore.create(Ticker.system(), maxKeys()));
    }
    if (isCluster()) return cluster.open(consistency(), metrics, data);
    return RedisStoreFactory.open(
        redis(directory).outageListener(metrics).roundTripListener(metrics).build());
  }

  /**
   * Opens a separate store of the same kind for the warm-up: one in memory, or the same Redis with
   * another key prefix and keys that expire within seconds. Its timeout is longer, since first
   * calls are slow. For a cluster it is in memory, since a process is a member once at most.
   */
  public Store openForWarmUp(Path directory) {
    requireLayoutOfRedis(); // reports mistakes before the warm-up
    var unused = regionOptions(directory, new StoreMetrics());
    if (isMemory() || isCluster()) return MemoryStore.create(Ticker.system(), WARM_UP_KEYS);
    var redis = redis(directory);
    int maxLength = RedisOptions.MAX_PREFIX_LENGTH - WARM_UP_PREFIX.length();
    String warmUpPrefix =
        prefix.substring(0, Math.min(maxLength, prefix.length())) + WARM_UP_PREFIX;
    return RedisStore.connect(redis.prefix(warmUpPrefix).deadline(WARM_UP_TIMEOUT).build());
  }

  private Optional<RegionOptions> regionOptions(Path directory, StoreMetrics metrics) {
    var regional =
        redisOptions(directory)
            .map(RedisOptions::toBuilder)
            .map(redis -> redis.outageListener(metrics).roundTripListener(metrics).build());
    return region.options(directory, regional, prefix);
  }

  /**
   * Returns the maximum number of counters. Callers choose keys, so that by default as many fit as
   * a small heap can hold.
   */
  private int maxKeys() {
    long byHeap = Math.max(1, Runtime.getRuntime().maxMemory() / HEAP_PER_KEY);
    return maxKeys.orElse((int) Math.min(byHeap, MemoryStore.DEFAULT_MAX_KEYS));
  }

  /** Describes the store for the start-up message, without secrets. */
  public String describe(Path directory) {
    var options = regionOptions(directory, new StoreMetrics());
    if (options.isPresent()) return RegionStoreFactory.describe(options.get());
    if (isCluster()) return cluster.describe();
    return isMemory()
        ? String.format(Locale.ROOT, "memory, at most %,d keys", maxKeys())
        : "%s, keys %s*%s"
            .formatted(
                RedisStoreFactory.describe(redis(directory).build()),
                prefix,
                layout == KeyLayout.COMPACT ? " in the layout compact" : "");
  }

  /**
   * Returns the options of a Redis store; empty for another store.
   *
   * @param directory what relative paths are resolved against
   * @throws CommandFailure if an option is not valid
   */
  public Optional<RedisOptions> redisOptions(Path directory) {
    return isMemory() || isCluster() ? Optional.empty() : Optional.of(redis(directory).build());
  }

  private void requireLayoutOfRedis() {
    requireLayoutOfRedis(layout, !isMemory() && !isCluster());
  }

  /**
   * Checks that a layout can be used with a store.
   *
   * @throws CommandFailure if the layout is for Redis only and the store is another
   */
  public static void requireLayoutOfRedis(KeyLayout layout, boolean redis) {
    if (layout != KeyLayout.SEPARATE && !redis) {
      throw new CommandFailure(
          "--store-layout compact is for counters in Redis; set --store redis://… or omit it");
    }
  }

  private boolean isMemory() {
    return store.equals(MEMORY);
  }

  private boolean isCluster() {
    return store.equals(CLUSTER);
  }

  private ConsistencyOptions consistency() {
    return withOptionName(
        "--sync-interval", () -> ConsistencyOptions.DEFAULT.withSyncInterval(syncInterval));
  }

  private RedisOptions.Builder redis(Path directory) {
    RedisOptions.Builder redis;
    try {
      redis = RedisOptions.builder(store);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure("--store: " + e.getMessage() + ", or memory, or cluster");
    }
    withOptionName("--store-prefix", () -> redis.prefix(prefix));
    withOptionName("--store-timeout", () -> redis.deadline(timeout));
    ca.ifPresent(file ->
        redis.ca(
            PemOption.requireCertificates(
                "--store-ca",
                "--store",
                directory.resolve(file),
                store.startsWith("rediss") ? "" : "rediss")));
    return redis.layout(layout).consistency(consistency());
  }

  static <T> T withOptionName(String option, Supplier<T> supplier) {
    try {
      return supplier.get();
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(option + ": " + e.getMessage());
    }
  }
}
