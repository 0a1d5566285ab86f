package io.headgate.redis.internal.script;

import io.headgate.limit.Concurrency;
import io.headgate.redis.internal.connection.RedisKeys;
import io.headgate.rule.Charge;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Announces to all instances that permits were given back, since a denial that an instance has
 * cached may have been caused by them.
 *
 * <p>One announcement of a key is under way at a time: returns that happen meanwhile are announced
 * together after it. Thread-safe. An announcement that fails is not repeated: a cached denial ends
 * by itself within a second.
 */
final class ReturnPublisher {
  private final RedisKeys keys;
  private final Function<byte[], CompletionStage<Long>> announce;
  private final ConcurrentHashMap<String, Boolean> underWay = new ConcurrentHashMap<>(); // again?

  ReturnPublisher(RedisKeys keys, Function<byte[], CompletionStage<Long>> announce) {
    this.keys = keys;
    this.announce = announce;
  }

  void returned(Charge charge) {
    if (charge.limit() instanceof Concurrency) return; // its denials are not cached
    var key = keys.of(charge.counter(), charge.key());
    boolean again = underWay.merge(key, false, (was, now) -> true);
    if (!again) announce(key);
  }

  private void announce(String key) {
    var unused =
        announce
            .apply(key.getBytes(StandardCharsets.UTF_8))
            .handle((receivers, problem) -> {
              if (!underWay.remove(key, false) && underWay.replace(key, true, false)) announce(key);
              return receivers;
            });
  }
}
