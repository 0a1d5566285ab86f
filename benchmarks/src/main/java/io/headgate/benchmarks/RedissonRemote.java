package io.headgate.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** Redisson's limiter, which stores a sorted set of the requests in the last interval. */
record RedissonRemote(RedissonClient client, List<RRateLimiter> limiters) implements Remote {
  static Remote open(String uri, String name, Quota quota, int keys) {
    var config = new Config().setCodec(StringCodec.INSTANCE);
    config.useSingleServer().setAddress(uri);
    var client = Redisson.create(config);
    try {
      var limiters =
          IntStream.range(0, keys)
              .mapToObj(i -> client.getRateLimiter("redisson:" + name + ":user:" + i))
              .toList();
      // Its burst is one interval's permits. If all requests must pass, use a short interval,
      // which keeps the set small.
      var interval = quota == Quota.EXHAUSTED ? quota.period : Duration.ofSeconds(1);
      var set = new CompletableFuture<?>[keys];
      for (int i = 0; i < keys; i++) {
        set[i] =
            limiters
                .get(i)
                .trySetRateAsync(RateType.OVERALL, quota.burst, interval)
                .toCompletableFuture();
      }
      CompletableFuture.allOf(set).join();
      return new RedissonRemote(client, limiters);
    } catch (RuntimeException e) {
      client.shutdown();
      throw e;
    }
  }

  @Override
  public CompletionStage<Boolean> check(int key) {
    return limiters.get(key).tryAcquireAsync(1);
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
