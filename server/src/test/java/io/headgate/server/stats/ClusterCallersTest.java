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

/** Two instances at one real Redis. */
class ClusterCallersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Rule RULE =
      Rule.named("users").match("key", "*").limit(FixedWindow.of(Rate.perHour(1_000))).build();

  private final AtomicLong clock = new AtomicLong(1_789_300_800_000L);

  /** A watch that has seen some checks. */
  private StatsCollector watched(String key, int checks) {
    var watch = new StatsCollector(StatsCollector.USUAL_NAMES, clock::get, () -> false);
    var observer = watch.observer();
    try (var limiter = RateLimiter.inMemory(RULE)) {
      for (int i = 0; i < checks; i++) {
        for (var name : new String[] {"everywhere", key}) {
          var request = Request.of(Subject.of(name));
          observer.decided(request, limiter.checkForResult(request), 1_000);
        }
      }
    }
    clock.addAndGet(1_000);
    observer.tick();
    watch.tick();
    return watch;
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
        .filter(figures -> figures.caller().equals(caller))
        .mapToDouble(CallerStats::allowed)
        .findFirst()
        .orElse(0);
  }

  @Test
  void listsAreReadAndAddedUpAsideAndNotByWhoBringsThem() {
    var left = new CompletableFuture<Optional<byte[]>>();
    var read = ClusterCallers.read(left);
    var reader = read.thenApply(list -> Thread.currentThread());
    var other = new CompletableFuture<Optional<CallerList>>();
    var adder = ClusterCallers.merged(List.of(read, other)).thenApply(l -> Thread.currentThread());
    left.complete(Optional.of(CallerCodec.encode(watched("here", 3).callers())));
    assertThat(reader.join().isVirtual()).isTrue();
    other.complete(Optional.empty());
    assertThat(adder.join().isVirtual()).isTrue();
    assertThat(read.join().orElseThrow().callers()).hasSize(2);
  }

  @Test
  void eachSeesTheCallersOfAllAndWhenRedisIsAwayItsOwn() {
    try (var redis = RedisServer.start();
        var store = RedisStore.connect(redis.uri());
        var otherStore = RedisStore.connect(redis.uri())) {
      var here = new ClusterCallers(watched("here", 3), Optional.of(store.bulletin()), "aaaaaa");
      var there =
          new ClusterCallers(watched("there", 5), Optional.of(otherStore.bulletin()), "bbbbbb");
      await()
          .atMost(PATIENCE)
          .until(() -> {
            here.publish();
            there.publish();
            return all(here).instances() == 2 && all(there).instances() == 2;
          });
      var seen = all(here);
      assertThat(allowed(seen, "here")).isEqualTo(3);
      assertThat(allowed(seen, "there")).isEqualTo(5);
      assertThat(allowed(seen, "everywhere")).isEqualTo(8);
      redis.kill();
      var alone = all(here);
      assertThat(alone.instances()).isEqualTo(1);
      assertThat(allowed(alone, "everywhere")).isEqualTo(3);
    }
  }
}
