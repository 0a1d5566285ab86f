package io.headgate.redis.internal.connection;

import io.headgate.consistency.ConsistencyStore;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Receives which counters have more to give than time alone explains, on whichever instance that
 * happened, and drops what is cached of them here. A counter that was reset loses its local state
 * too; one that was given permits back loses its cached denial only.
 */
public record ResetSubscriber(PubSub.Listener denials, ConsistencyStore near, RedisKeys keys)
    implements PubSub.Listener {
  /** Begins the message of a return. No key does: each begins with the prefix. */
  private static final byte RETURNED = 1;

  /** The message that announces a return of permits. */
  static byte[] returned(byte[] key) {
    var message = new byte[key.length + 1];
    message[0] = RETURNED;
    System.arraycopy(key, 0, message, 1, key.length);
    return message;
  }

  @Override
  public void hear(byte[] message) {
    if (message.length > 0 && message[0] == RETURNED) {
      denials.hear(Arrays.copyOfRange(message, 1, message.length));
      return;
    }
    denials.hear(message);
    var name = new String(message, StandardCharsets.UTF_8);
    near.forgetIf((counter, key) -> keys.of(counter, key).equals(name));
  }

  @Override
  public void begins() {
    denials.begins();
  }

  @Override
  public void ends() {
    denials.ends();
  }
}
