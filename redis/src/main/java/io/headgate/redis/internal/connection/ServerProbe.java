package io.headgate.redis.internal.connection;

import io.headgate.redis.KeyLayout;
import io.headgate.redis.RedisOptions;
import io.headgate.redis.RedisServerInfo;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks servers for their version, memory settings, round trip and clock. */
public final class ServerProbe {
  private static final int ROUND_TRIPS = 15;
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private ServerProbe() {}

  /**
   * Asks every primary.
   *
   * @throws StoreException if a server can't be reached
   */
  public static List<RedisServerInfo> read(RedisOptions options) {
    try (var clients = new LettuceClients(options)) {
      var all = new ArrayList<RedisServerInfo>();
      clients.primaries().forEach((server, commands) -> all.add(read(server, commands)));
      return all;
    } catch (RedisException e) {
      throw LettuceErrors.toStoreException(e, options.address().toString());
    }
  }

  /**
   * Returns whether a primary also accepts the writes of other primaries.
   *
   * @throws StoreException if a server can't be reached
   */
  public static boolean isActiveActive(RedisOptions options) {
    try (var clients = new LettuceClients(options)) {
      return clients.primaries().values().stream().anyMatch(redis -> isActiveActive(info(redis)));
    } catch (RedisException e) {
      throw LettuceErrors.toStoreException(e, options.address().toString());
    }
  }

  /**
   * Returns the number of running instances with each layout.
   *
   * @throws StoreException if a server can't be reached
   */
  public static Map<KeyLayout, Integer> layouts(RedisOptions options) {
    var server = options.address().toString();
    try (var clients = new LettuceClients(options);
        var connection = clients.connect()) {
      return InstanceRegistry.read(connection, options.prefix())
          .toCompletableFuture()
          .get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
          .layouts();
    } catch (ExecutionException | RedisException e) {
      throw LettuceErrors.toStoreException(e, server);
    } catch (TimeoutException e) {
      throw new StoreException(
          Kind.TIMEOUT,
          "Redis at %s did not answer within %d ms".formatted(server, TIMEOUT.toMillis()),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(
          Kind.INTERRUPTED, "interrupted while waiting for Redis at " + server, e);
    }
  }

  /**
   * Returns whether the reply of INFO is that of KeyDB with {@code active-replica yes}, or of a
   * server with a module for conflict-free replicated data types.
   */
  static boolean isActiveActive(String info) {
    return field(info, "role").filter("active-replica"::equals).isPresent()
        || info.lines().anyMatch(line -> line.startsWith("module:name=crdt"));
  }

  private static RedisServerInfo read(String server, RedisCommands<byte[], byte[]> commands) {
    String info = info(commands);
    var nanos = new long[ROUND_TRIPS];
    long ahead = 0;
    long shortest = Long.MAX_VALUE;
    for (int i = 0; i < ROUND_TRIPS; i++) {
      long before = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
      long start = System.nanoTime();
      var time = commands.time();
      nanos[i] = System.nanoTime() - start;
      if (nanos[i] >= shortest) continue;
      shortest = nanos[i]; // the clock was read in its middle
      ahead = number(time.get(0)) * 1_000_000 + number(time.get(1)) - before - nanos[i] / 2_000;
    }
    Arrays.sort(nanos);
    var maxMemory = field(info, "maxmemory").map(Long::parseLong);
    return new RedisServerInfo(
        server,
        field(info, "valkey_version").or(() -> field(info, "redis_version")),
        field(info, "maxmemory_policy"),
        maxMemory.map(OptionalLong::of).orElse(OptionalLong.empty()),
        Duration.ofNanos(nanos[ROUND_TRIPS / 2]),
        Duration.of(ahead, ChronoUnit.MICROS));
  }

  /** Returns the reply of INFO; empty if the user may not call it. */
  private static String info(RedisCommands<byte[], byte[]> commands) {
    try {
      return commands.info();
    } catch (RedisCommandExecutionException e) {
      return "";
    }
  }

  private static Optional<String> field(String info, String name) {
    return info.lines()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst();
  }

  private static long number(byte[] text) {
    return Long.parseLong(new String(text, StandardCharsets.US_ASCII));
  }
}
