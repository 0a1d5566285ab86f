package io.headgate.server.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.server.callers.CallerCodec;
import io.headgate.server.callers.CallerList;
import io.headgate.server.callers.CallerStats;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests two instances with one real Redis. */
class ClusterCallersTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Rule RULE =
      Rule.named("users").match("key", "*").limit(FixedWindow.of(Rate.perHour(1_000))).build();

  private final AtomicLong clock = new AtomicLong(1_789_300_800_000L);

  /** Returns a collector that has counted some checks. */
  private StatsCollector collector(String key, int checks) {
    var stats = new StatsCollector(StatsCollector.DEFAULT_CALLER_NAMES, clock::get, () -> false);
    var counter = stats.newCounter();
    try (var limiter = RateLimiter.inMemory(RULE)) {
      for (int i = 0; i < checks; i++) {
        for (var name : new String[] {"everywhere", key}) {
          var request = Request.of(Subject.of(name));
          counter.decided(request, limiter.checkForResult(request), 1_000);
        }
      }
    }
    clock.addAndGet(1_000);
    counter.tick();
    stats.tick();
    return stats;
  }

  private static CallerList all(ClusterCallers callers) {
    try {
      return callers.all().toCompletableFuture().get(20, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static double allowed(CallerList list, String caller) {
    return list.callers().stream()
        .filter(stats -> stats.caller().equals(caller))
        .mapToDouble(CallerStats::allowed)
        .findFirst()
        .orElse(0);
  }

  @Test
  void listsAreDecodedAndMergedOnVirtualThreads() {
    var content = new CompletableFuture<Optional<byte[]>>();
    var read = ClusterCallers.read(content);
    var reader = read.thenApply(list -> Thread.currentThread());
    var other = new CompletableFuture<Optional<CallerList>>();
    var adder = ClusterCallers.merged(List.of(read, other)).thenApply(l -> Thread.currentThread());
    content.complete(Optional.of(CallerCodec.encode(collector("local", 3).callers())));
    assertThat(reader.join().isVirtual()).isTrue();
    other.complete(Optional.empty());
    assertThat(adder.join().isVirtual()).isTrue();
    assertThat(read.join().orElseThrow().callers()).hasSize(2);
  }

  @Test
  void callersOfAllInstancesAreListedAndOnlyLocalOnesWithoutRedis() {
    try (var redis = RedisServer.start();
        var store = RedisStore.connect(redis.uri());
        var otherStore = RedisStore.connect(redis.uri())) {
      var local =
          new ClusterCallers(collector("local", 3), Optional.of(store.broadcast()), "aaaaaa");
      var remote =
          new ClusterCallers(collector("remote", 5), Optional.of(otherStore.broadcast()), "bbbbbb");
      await()
          .atMost(TIMEOUT)
          .until(() -> {
            local.publish();
            remote.publish();
            return all(local).instances() == 2 && all(remote).instances() == 2;
          });
      var seen = all(local);
      assertThat(allowed(seen, "local")).isEqualTo(3);
      assertThat(allowed(seen, "remote")).isEqualTo(5);
      assertThat(allowed(seen, "everywhere")).isEqualTo(8);
      redis.kill();
      var alone = all(local);
      assertThat(alone.instances()).isEqualTo(1);
      assertThat(allowed(alone, "everywhere")).isEqualTo(3);
    }
  }
}
