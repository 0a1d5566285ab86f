package io.headgate.redis.internal.connection;

import io.headgate.internal.script.ScriptConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A connection to the home of regions, whose calls pass the guard of {@code home-guard.lua}.
 * Thread-safe.
 */
public final class HomeConnection implements ScriptConnection {
  private final RedisConnection connection;
  private final byte[] marker;
  private final byte[] lease;

  /**
   * Wraps a connection, which is closed with this one.
   *
   * @param prefix the prefix of every key at home
   * @param maxLease the longest lease of a share
   */
  public HomeConnection(RedisConnection connection, String prefix, Duration maxLease) {
    this.connection = connection;
    this.marker = (prefix + "ready").getBytes(StandardCharsets.UTF_8);
    this.lease = Long.toString(maxLease.toNanos() / 1_000).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
    var guarded = Arrays.copyOf(keys, keys.length + 1);
    guarded[keys.length] = marker;
    return connection.decideAtHome(guarded, argument, lease);
  }

  @Override
  public CompletionStage<Long> reset(byte[] key) {
    return connection.reset(key);
  }

  @Override
  public CompletionStage<Long> publishReturn(byte[] key) {
    return connection.publishReturn(key);
  }

  @Override
  public CompletionStage<Long> size() {
    return connection.size();
  }

  @Override
  public int hashSlot(String key) {
    return connection.hashSlot(key);
  }

  @Override
  public boolean keepsReservations() {
    return true;
  }

  /** Lists nothing: reservations are listed in the region that issued their ids. */
  @Override
  public CompletionStage<List<Object>> reservations(byte[][] keys, byte[]... arguments) {
    return CompletableFuture.completedStage(List.of(0L));
  }

  @Override
  public void close() {
    connection.close();
  }
}
