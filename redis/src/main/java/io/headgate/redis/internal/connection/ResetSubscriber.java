package io.headgate.redis.internal.connection;

import io.headgate.internal.consistency.ConsistencyStore;
import java.nio.charset.StandardCharsets;

/**
 * Forwards the changes that instances publish, resets and returned permits, to the store that
 * caches the counters.
 */
public record ResetSubscriber(ConsistencyStore store) implements PubSub.Listener {
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
      store.permitsReturned(new String(message, 1, message.length - 1, StandardCharsets.UTF_8));
    } else {
      store.counterReset(new String(message, StandardCharsets.UTF_8));
    }
  }

  @Override
  public void onSubscribed() {
    store.subscribed();
  }

  @Override
  public void onDisconnected() {
    store.disconnected();
  }
}
