package io.headgate.server.cli.options;

import io.headgate.consistency.ConsistencyOptions;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisStore;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.metrics.StoreMetrics;
import io.headgate.server.store.RedisStoreFactory;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** Where states are kept. */
public final class StoreOptions {
  private static final String MEMORY = "memory";
  private static final String WARM_UP_PREFIX = "warm-up:";
  private static final Duration WARM_UP_TIMEOUT = Duration.ofSeconds(1);
  private static final int WARM_UP_KEYS = 10_000;

  @Option(
      names = "--store",
      paramLabel = "WHERE",
      defaultValue = MEMORY,
      description =
          "Where states are kept: memory (of this process), or Redis, shared with other instances:"
              + " redis://[user:password@]host:port[/database], rediss://… (TLS),"
              + " redis-sentinel://h1:p,h2:p/0#name, redis-cluster://h1:p,h2:p."
              + " Default: ${DEFAULT-VALUE}")
  private String store = MEMORY;

  @Option(
      names = "--max-keys",
      paramLabel = "N",
      defaultValue = "" + MemoryStore.DEFAULT_MOST_KEYS,
      description = "How many counters the memory store keeps at most. Default: ${DEFAULT-VALUE}")
  private int maxKeys;

  @Option(
      names = "--store-prefix",
      paramLabel = "TEXT",
      defaultValue = RedisOptions.DEFAULT_PREFIX,
      description =
          "What every key in Redis begins with; instances that share their counts have the same."
              + " Default: ${DEFAULT-VALUE}")
  private String prefix = RedisOptions.DEFAULT_PREFIX;

  @Option(
      names = "--store-timeout",
      paramLabel = "TIME",
      defaultValue = "50ms",
      converter = DurationText.class,
      description =
          "How long a request waits for Redis before its rules' policies decide."
              + " Default: ${DEFAULT-VALUE}")
  private Duration timeout = RedisOptions.DEFAULT_DEADLINE;

  @Option(
      names = "--store-ca",
      paramLabel = "FILE",
      description =
          "Certificates (PEM) to trust for rediss:// instead of the system's. Default: none")
  private Optional<Path> ca = Optional.empty();

  @Option(
      names = "--sync-interval",
      paramLabel = "TIME",
      defaultValue = "100ms",
      converter = DurationText.class,
      description =
          "How often rules of eventual consistency tell Redis what was counted here."
              + " Default: ${DEFAULT-VALUE}")
  private Duration syncInterval = ConsistencyOptions.DEFAULT.syncInterval();

  /**
   * Returns also when Redis is not there.
   *
   * @param counts hears how it does
   */
  public Store open(Path directory, StoreMetrics counts) {
    if (isMemory()) {
      return named("--max-keys", () -> MemoryStore.create(Ticker.system(), maxKeys));
    }
    return RedisStoreFactory.open(redis(directory).withListener(counts).withCalls(counts));
  }

  /**
   * Opens a store like the one to serve from, in which nothing is counted: another in memory, or
   * the same Redis under keys of its own that expire within seconds. Its calls may take long, since
   * they are the first.
   */
  public Store openForWarmUp(Path directory) {
    if (isMemory()) return MemoryStore.create(Ticker.system(), WARM_UP_KEYS);
    var redis = redis(directory);
    int room = RedisOptions.LONGEST_PREFIX - WARM_UP_PREFIX.length();
    String own = prefix.substring(0, Math.min(room, prefix.length())) + WARM_UP_PREFIX;
    return RedisStore.connect(redis.withPrefix(own).withDeadline(WARM_UP_TIMEOUT));
  }

  /** For people; shows no secrets. */
  public String describe(Path directory) {
    return isMemory()
        ? String.format(Locale.ROOT, "memory, at most %,d keys", maxKeys)
        : "%s, keys %s*".formatted(RedisStoreFactory.describe(redis(directory)), prefix);
  }

  private boolean isMemory() {
    return store.equals(MEMORY);
  }

  private RedisOptions redis(Path directory) {
    RedisOptions plain;
    try {
      plain = RedisOptions.of(store);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure("--store: " + e.getMessage() + ", or memory");
    }
    var prefixed = named("--store-prefix", () -> plain.withPrefix(prefix));
    var timed = named("--store-timeout", () -> prefixed.withDeadline(timeout));
    var near =
        named("--sync-interval", () -> ConsistencyOptions.DEFAULT.withSyncInterval(syncInterval));
    var whole = timed.withNear(near);
    return ca.map(file -> whole.trusting(readable(directory.resolve(file)))).orElse(whole);
  }

  /** Redis would only be found to be away, over and over. */
  private Path readable(Path file) {
    if (!store.startsWith("rediss")) {
      throw new CommandFailure(
          "--store-ca is for TLS, which this --store does not use; begin it with rediss");
    }
    try (InputStream in = Files.newInputStream(file)) {
      if (!CertificateFactory.getInstance("X.509").generateCertificates(in).isEmpty()) return file;
      throw new CommandFailure("--store-ca: there is no certificate in %s".formatted(file));
    } catch (IOException e) {
      throw new CommandFailure("--store-ca can't be read: %s".formatted(e));
    } catch (CertificateException e) {
      throw new CommandFailure(
          "--store-ca: %s has no certificates in PEM (%s)".formatted(file, e.getMessage()));
    }
  }

  private static <T> T named(String option, Supplier<T> made) {
    try {
      return made.get();
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(option + ": " + e.getMessage());
    }
  }
}
