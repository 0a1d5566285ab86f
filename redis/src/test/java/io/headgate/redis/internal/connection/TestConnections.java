package io.headgate.redis.internal.connection;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Connections for tests that share one among several stores. */
public final class TestConnections {
  private TestConnections() {}

  /** Returns a view of a connection whose close does nothing. */
  public static RedisConnection shared(RedisConnection delegate) {
    return new Forwarding(delegate);
  }

  /** Forwards all calls except close. */
  public static class Forwarding implements RedisConnection {
    private final RedisConnection delegate;

    public Forwarding(RedisConnection delegate) {
      this.delegate = delegate;
    }

    @Override
    public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
      return delegate.decide(keys, argument);
    }

    @Override
    public CompletionStage<Long> heartbeat(byte[] key, byte[] instance, byte[] millis) {
      return delegate.heartbeat(key, instance, millis);
    }

    @Override
    public CompletionStage<byte[]> signal(byte[] key, byte[]... arguments) {
      return delegate.signal(key, arguments);
    }

    @Override
    public CompletionStage<List<Object>> reservations(byte[][] keys, byte[]... arguments) {
      return delegate.reservations(keys, arguments);
    }

    @Override
    public CompletionStage<Long> reset(byte[] key) {
      return delegate.reset(key);
    }

    @Override
    public CompletionStage<Long> publishReturn(byte[] key) {
      return delegate.publishReturn(key);
    }

    @Override
    public CompletionStage<?> put(byte[] key, byte[] value, long millis) {
      return delegate.put(key, value, millis);
    }

    @Override
    public CompletionStage<Optional<byte[]>> get(byte[] key) {
      return delegate.get(key);
    }

    @Override
    public CompletionStage<Long> publish(byte[] channel, byte[] message) {
      return delegate.publish(channel, message);
    }

    @Override
    public CompletionStage<Long> size() {
      return delegate.size();
    }

    @Override
    public int hashSlot(String key) {
      return delegate.hashSlot(key);
    }

    @Override
    public void close() {}
  }
}
