package io.headgate.redis;

import io.headgate.internal.script.CounterKeys;
import io.headgate.redis.internal.connection.InstanceCounts;
import io.headgate.redis.internal.connection.RedisConnection;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The connection of one instance to the simulated servers. */
final class SimulatedConnection implements RedisConnection {
  private final SimulatedStore.Wire wire;
  private final boolean cluster;
  private final Map<String, Integer> slots = new HashMap<>();

  SimulatedConnection(SimulatedStore.Wire wire, boolean cluster) {
    this.wire = wire;
    this.cluster = cluster;
  }

  @Override
  public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
    return wire.send(cluster ? SlotHash.getSlot(keys[0]) : 0, keys, argument);
  }

  @Override
  public int hashSlot(String key) {
    return cluster
        ? slots.computeIfAbsent(key, name -> SlotHash.getSlot(CounterKeys.tag(name)))
        : 0;
  }

  @Override
  public CompletionStage<InstanceCounts> heartbeat(byte[] key, byte[] instance, byte[] millis) {
    return CompletableFuture.completedStage(new InstanceCounts(1, Map.of(KeyLayout.SEPARATE, 1)));
  }

  @Override
  public CompletionStage<byte[]> signal(byte[] key, byte[]... arguments) {
    throw new UnsupportedOperationException("no scenario reports load");
  }

  @Override
  public CompletionStage<List<Object>> reservations(byte[][] keys, byte[]... arguments) {
    throw new UnsupportedOperationException("no scenario reserves");
  }

  @Override
  public CompletionStage<Long> reset(byte[] key) {
    throw new UnsupportedOperationException("no scenario resets a counter");
  }

  @Override
  public CompletionStage<Long> publishReturn(byte[] key) {
    wire.announceReturn(new String(key, StandardCharsets.UTF_8));
    return CompletableFuture.completedStage(1L);
  }

  @Override
  public CompletionStage<?> put(byte[] key, byte[] value, long millis) {
    throw new UnsupportedOperationException("no scenario keeps a value");
  }

  @Override
  public CompletionStage<Optional<byte[]>> get(byte[] key) {
    throw new UnsupportedOperationException("no scenario keeps a value");
  }

  @Override
  public CompletionStage<Long> publish(byte[] channel, byte[] message) {
    throw new UnsupportedOperationException("no scenario publishes");
  }

  @Override
  public CompletionStage<Long> size() {
    throw new UnsupportedOperationException("no scenario counts keys");
  }

  @Override
  public void close() {}
}
