package io.headgate.redis;

import io.headgate.redis.internal.connection.ServerProbe;
import io.headgate.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What one Redis or Valkey server reports of itself, for diagnosis.
 *
 * @param server its address, without secrets
 * @param version empty if the user may not call {@code INFO}
 * @param evictionPolicy {@code maxmemory-policy}; empty if the user may not call {@code INFO}
 * @param maxMemory the memory limit in bytes, 0 for none; empty if the user may not call {@code
 *     INFO}
 * @param roundTrip the median time of a command
 * @param clockDifference how far the server's clock is ahead of this process, to within the round
 *     trip
 */
public record RedisServerInfo(
    String server,
    Optional<String> version,
    Optional<String> evictionPolicy,
    OptionalLong maxMemory,
    Duration roundTrip,
    Duration clockDifference) {

  /**
   * Connects to every primary and asks it. Takes a few seconds at most.
   *
   * @throws StoreException if a server can't be reached
   */
  public static List<RedisServerInfo> read(RedisOptions options) {
    return ServerProbe.read(options);
  }

  /**
   * Returns whether a server replicates with other primaries, so that the last write of a counter
   * replaces the charges of others. Recognizes KeyDB. Takes a few seconds at most.
   *
   * @throws StoreException if a server can't be reached
   */
  public static boolean isActiveActive(RedisOptions options) {
    return ServerProbe.isActiveActive(options);
  }

  /**
   * Returns the number of instances with each layout that have used the key prefix in the last ten
   * seconds; without layouts that none has. Of the latest 256 instances if there are more.
   * Instances of versions without {@link KeyLayout#COMPACT} have the layout {@link
   * KeyLayout#SEPARATE}. Takes a few seconds at most.
   *
   * @throws StoreException if a server can't be reached, or rejects the command
   */
  public static Map<KeyLayout, Integer> layouts(RedisOptions options) {
    return ServerProbe.layouts(options);
  }

  /** Returns whether the server may evict counters, which then start afresh. */
  public boolean evicts() {
    return maxMemory.orElse(0) > 0
        && evictionPolicy.filter(p -> !p.equals("noeviction")).isPresent();
  }
}
