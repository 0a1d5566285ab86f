package io.headgate.redis;

import io.headgate.near.NearStore;
import java.nio.charset.StandardCharsets;

/**
 * Hears which counters are reset, by whichever instance, and forgets what is known here of them.
 */
record Resets(Hearing.Ear denials, NearStore near, Keys keys) implements Hearing.Ear {
  @Override
  public void hear(byte[] message) {
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
