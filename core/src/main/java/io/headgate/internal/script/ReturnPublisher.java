package io.headgate.internal.script;

import io.headgate.limit.SlotLimit;
import io.headgate.rule.Charge;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Publishes to all instances that permits were given back, so that they invalidate cached denials
 * of the counter.
 *
 * <p>At most one message of a key is in flight. Returns that happen meanwhile are published
 * together after it. A failed message is not repeated, since a cached denial expires within a
 * second. Thread-safe.
 */
final class ReturnPublisher {
  private final CounterKeys keys;
  private final Function<byte[], CompletionStage<Long>> publish;
  private final ConcurrentHashMap<String, Boolean> inFlight =
      new ConcurrentHashMap<>(); // true: publish again

  ReturnPublisher(CounterKeys keys, Function<byte[], CompletionStage<Long>> publish) {
    this.keys = keys;
    this.publish = publish;
  }

  void returned(Charge charge) {
    if (charge.limit() instanceof SlotLimit) return; // its denials are not cached
    var key = keys.of(charge.counter(), charge.key());
    boolean again = inFlight.merge(key, false, (was, now) -> true);
    if (!again) publish(key);
  }

  private void publish(String key) {
    var unused =
        publish
            .apply(key.getBytes(StandardCharsets.UTF_8))
            .handle((receivers, problem) -> {
              if (!inFlight.remove(key, false) && inFlight.replace(key, true, false)) publish(key);
              return receivers;
            });
  }
}
