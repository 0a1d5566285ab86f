package io.headgate.benchmarks;

import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** bucket4j on Lettuce, which reads a state and writes the next one by compare-and-set. */
record Bucket4jRemote(RedisClient client, List<AsyncBucketProxy> buckets) implements Remote {
  private static final Duration KEPT_AFTER_REFILL = Duration.ofSeconds(10);

  static Remote open(String uri, String name, Quota quota, int keys, boolean batching) {
    var client = RedisClient.create(uri);
    try {
      var codec = RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);
      var buckets =
          Bucket4jLettuce.casBasedBuilder(client.connect(codec))
              .expirationAfterWrite(
                  ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(
                      KEPT_AFTER_REFILL))
              .build()
              .asAsync()
              .builder();
      if (batching) buckets = buckets.withOptimization(Optimizations.batching());
      var builder = buckets;
      var configuration = CompletableFuture.completedFuture(quota.bucket4j());
      return new Bucket4jRemote(
          client,
          IntStream.range(0, keys)
              .mapToObj(i -> builder.build("bucket4j:" + name + ":user:" + i, () -> configuration))
              .toList());
    } catch (RuntimeException e) {
      client.shutdown();
      throw e;
    }
  }

  @Override
  public CompletionStage<Boolean> check(int key) {
    return buckets.get(key).tryConsume(1);
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
