package io.headgate.internal.script;

import io.headgate.redis.internal.connection.InstanceCounts;
import io.headgate.redis.internal.connection.RedisConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A connection that records its calls; the test replies to them. */
final class PendingConnection implements RedisConnection {
  /** A call of the script with a number of keys, and the future of its reply. */
  record Call(int keys, CompletableFuture<byte[]> reply) {}

  final List<Call> calls = new ArrayList<>();
  @Nullable RuntimeException failure; // thrown by each call
  Runnable duringNextCall = () -> {}; // runs before the call is recorded

  @Override
  public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
    if (failure != null) throw failure;
    var meanwhile = duringNextCall;
    duringNextCall = () -> {};
    meanwhile.run();
    calls.add(new Call(keys.length, new CompletableFuture<>()));
    return calls.getLast().reply;
  }

  @Override
  public int hashSlot(String key) {
    return 0;
  }

  @Override
  public CompletionStage<InstanceCounts> heartbeat(byte[] key, byte[] instance, byte[] millis) {
    throw new UnsupportedOperationException("only batches are sent");
  }

  @Override
  public CompletionStage<byte[]> signal(byte[] key, byte[]... arguments) {
    throw new UnsupportedOperationException("only batches are sent");
  }

  @Override
  public CompletionStage<List<Object>> reservations(byte[][] keys, byte[]... arguments) {
    throw new UnsupportedOperationException("only batches are sent");
  }

  @Override
  public CompletionStage<Long> reset(byte[] key) {
    throw new UnsupportedOperationException("only batches are sent");
  }

  @Override
  public CompletionStage<Long> publishReturn(byte[] key) {
    throw new UnsupportedOperationException("only batches are sent");
  }

  @Override
  public CompletionStage<?> put(byte[] key, byte[] value, long millis) {
    throw new UnsupportedOperationException("only batches are sent");
  }

  @Override
  public CompletionStage<Optional<byte[]>> get(byte[] key) {
    throw new UnsupportedOperationException("only batches are sent");
  }

  @Override
  public CompletionStage<Long> publish(byte[] channel, byte[] message) {
    throw new UnsupportedOperationException("only batches are sent");
  }

  @Override
  public CompletionStage<Long> size() {
    throw new UnsupportedOperationException("only batches are sent");
  }

  @Override
  public void close() {}
}
