package io.headgate.redis.internal.connection;

import io.headgate.consistency.ConsistencyStore;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Invalidates local state of counters that another instance reset or returned permits to. A reset
 * invalidates the cached denial and the state of the consistency modes. A return of permits
 * invalidates the cached denial only.
 */
public record ResetSubscriber(PubSub.Listener denials, ConsistencyStore consistency, RedisKeys keys)
    implements PubSub.Listener {
  /** The first byte of a message about returned permits; no key starts with it. */
  private static final byte RETURNED = 1;

  /** Returns the message to publish after a return of permits. */
  static byte[] returnMessage(byte[] key) {
    var message = new byte[key.length + 1];
    message[0] = RETURNED;
    System.arraycopy(key, 0, message, 1, key.length);
    return message;
  }

  @Override
  public void onMessage(byte[] message) {
    if (message.length > 0 && message[0] == RETURNED) {
      denials.onMessage(Arrays.copyOfRange(message, 1, message.length));
      return;
    }
    denials.onMessage(message);
    var redisKey = new String(message, StandardCharsets.UTF_8);
    consistency.invalidateIf((counter, key) -> keys.of(counter, key).equals(redisKey));
  }

  @Override
  public void onSubscribed() {
    denials.onSubscribed();
  }

  @Override
  public void onDisconnected() {
    denials.onDisconnected();
  }
}
