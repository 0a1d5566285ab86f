package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.Costs;
import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Window;
import io.headgate.redis.internal.connection.TestConnections;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.StoreException;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.ManualTicker;
import io.headgate.testkit.redis.Reply;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OpenReservationsTest {
  private static final long TIMEOUT_NANOS = Duration.ofSeconds(60).toNanos();
  private static final Duration AWAIT = Duration.ofSeconds(60);
  private static final CounterKeys KEYS = new CounterKeys("headgate:");

  private static TestServer redis;

  @BeforeAll
  static void start() {
    redis = TestServer.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void flush() {
    redis.flush();
  }

  /** Executes calls of the list by a function, and all others on the server. */
  private static ScriptConnection connection(ListCall calls) {
    var server = TestConnections.shared(redis.connection());
    return (ScriptConnection)
        Proxy.newProxyInstance(
            OpenReservationsTest.class.getClassLoader(),
            new Class<?>[] {ScriptConnection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("reservations")) {
                var list = (byte[][]) arguments[1];
                return calls.execute(
                    new String(list[1], StandardCharsets.US_ASCII),
                    () -> server.reservations((byte[][]) arguments[0], list).toCompletableFuture());
              }
              try {
                return method.invoke(server, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private interface ListCall {
    CompletableFuture<?> execute(String operation, Sender sender) throws InterruptedException;
  }

  private interface Sender {
    CompletableFuture<List<Object>> send();
  }

  private static OpenReservations list(ScriptConnection connection) {
    return new OpenReservations(connection, KEYS, () -> 1_000, TIMEOUT_NANOS);
  }

  @Test
  void sweepSeesChangesThatAnotherThreadIsSending() throws Exception {
    var sending = new CountDownLatch(1);
    var mayGoOn = new CountDownLatch(1);
    var list =
        list(
            connection((operation, sender) -> {
              if (operation.equals("list")) {
                sending.countDown();
                mayGoOn.await();
              }
              return sender.send();
            }));
    list.add("id", 900, () -> {});
    var flusher = Thread.ofPlatform().start(() -> list.flush().join());
    sending.await();
    var due = new CompletableFuture<List<String>>();
    var sweeper =
        Thread.ofPlatform().start(() -> due.complete(list.due(10).toCompletableFuture().join()));
    Eventually.holds(
        "the sweep waits or ends",
        AWAIT,
        () -> due.isDone() || sweeper.getState() == Thread.State.BLOCKED);
    mayGoOn.countDown();
    flusher.join();
    assertThat(due.join()).containsExactly("id");
  }

  @Test
  void changeWhoseCallFailsIsSentAgain() {
    var failed = new AtomicInteger();
    var fails = new AtomicBoolean(true);
    var list =
        list(
            connection((operation, sender) -> {
              if (!operation.equals("list") || !fails.get()) return sender.send();
              failed.incrementAndGet();
              return CompletableFuture.failedFuture(
                  new StoreException(StoreException.Kind.CONNECTION, "no connection", null));
            }));
    list.add("id", 900, () -> {});
    list.flush().join();
    assertThat(failed).hasPositiveValue();
    assertThat(list.count()).isEqualTo(1);
    fails.set(false);
    assertThat(list.due(10).toCompletableFuture().join()).containsExactly("id");
    list.remove("id");
    assertThat(list.due(10).toCompletableFuture().join()).isEmpty();
    assertThat(list.count()).isZero();
  }

  @Test
  void postponedIdGivesWayToTheOnesBehindIt() {
    var list = list(TestConnections.shared(redis.connection()));
    list.add("first", 800, () -> {});
    list.add("second", 900, () -> {});
    assertThat(list.due(1).toCompletableFuture().join()).containsExactly("first");
    list.reschedule("first", 2_000);
    assertThat(list.due(1).toCompletableFuture().join()).containsExactly("second");
    assertThat(list.count()).isEqualTo(2);
  }

  private static RuleSet monthlyTokens() {
    var month = new FixedWindow(10_000, new Window.Calendar(Window.Unit.MONTH, ZoneOffset.UTC));
    return RuleSet.of(
        Rule.named("quota")
            .match("key", "*")
            .limit(RuleLimit.of("tokens", month).withCost("tokens"))
            .build());
  }

  private static Request tokens(long count) {
    return new Request(Subject.of("u"), 1, Map.of("tokens", count));
  }

  private static long left(RateLimiter limiter) {
    return limiter.peek(tokens(1)).limits().getFirst().remaining();
  }

  @Test
  void instanceThatStartsLateExpiresTheReservationsOfOneThatIsGone() {
    var clock = ManualTicker.create();
    var before = RateLimiter.with(redis.executor("headgate:", clock), monthlyTokens(), clock);
    before.reserve(tokens(8_000));
    before.close();
    clock.advance(Duration.ofHours(12));
    var after = RateLimiter.with(redis.executor("headgate:", clock), monthlyTokens(), clock);
    assertThat(left(after)).isEqualTo(2_000);
    assertThat(after.reservations().expireDue().toCompletableFuture().join()).isEqualTo(1);
    assertThat(left(after)).isEqualTo(10_000);
  }

  @Test
  void recordOfAnOpenReservationIsKeptUntilTimeHasReturnedItsCharges() {
    var limiter = RateLimiter.with(redis.executor("headgate:"), monthlyTokens());
    var reservation = limiter.reserve(tokens(8_000));
    Eventually.holds("its record is stored", AWAIT, () -> !records().isEmpty());
    long windowEnd = limiter.peek(tokens(1)).limits().getFirst().resetAfter().toMillis();
    assertThat(ttl(records().getFirst())).isGreaterThan(windowEnd);
    reservation.update(Costs.of("tokens", 100));
    assertThat(ttl(records().getFirst())).isGreaterThan(windowEnd);
    reservation.settle(Costs.of("tokens", 100));
    assertThat(ttl(records().getFirst())).isLessThanOrEqualTo(Duration.ofMinutes(12).toMillis());
    limiter.close();
  }

  private static List<String> records() {
    return redis.server().call("KEYS", "headgate:{u}|[^|]*").items().stream()
        .map(Reply::text)
        .toList();
  }

  private static long ttl(String key) {
    return redis.server().call("PTTL", key).number();
  }

  @Test
  void listingThatFailsForGoodEndsWithTheInstance() {
    var list =
        list(
            connection((operation, sender) ->
                CompletableFuture.failedFuture(
                    new StoreException(StoreException.Kind.CONNECTION, "no connection", null))));
    list.add("id", 900, () -> {});
    list.close();
    assertThatThrownBy(() -> list.due(1).toCompletableFuture().join())
        .hasRootCauseInstanceOf(StoreException.class);
  }
}
