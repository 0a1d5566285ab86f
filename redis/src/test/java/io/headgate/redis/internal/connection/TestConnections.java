package io.headgate.redis.internal.connection;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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

  /**
   * Returns a connection that renames the counter {@code {tag}rule|limit} to {@code
   * {tag}s|rule+limit}, so that in the layout compact all counters of a subject share a key.
   */
  public static RedisConnection sharingKeys(RedisConnection delegate) {
    return new Forwarding(delegate) {
      @Override
      public CompletionStage<byte[]> decide(byte[][] keys, byte[] argument) {
        var renamed = Arrays.stream(keys).map(TestConnections::shared).toArray(byte[][]::new);
        return super.decide(renamed, argument);
      }

      @Override
      public CompletionStage<Long> reset(byte[] key) {
        return super.reset(shared(key));
      }

      @Override
      public void close() {
        delegate.close();
      }
    };
  }

  /** Returns the name of a counter that shares a key with all others of its subject. */
  public static byte[] shared(byte[] key) {
    var name = new String(key, StandardCharsets.UTF_8);
    int end = name.indexOf('}') + 1;
    if (name.startsWith("|", end)) return key; // of a reservation, or of returns
    var renamed = name.substring(0, end) + "s|" + name.substring(end).replace('|', '+');
    return renamed.getBytes(StandardCharsets.UTF_8);
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
    public CompletionStage<InstanceCounts> heartbeat(byte[] key, byte[] instance, byte[] millis) {
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
