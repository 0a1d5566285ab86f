package io.headgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.Costs;
import io.headgate.client.RemoteReservationState.Fallback;
import io.headgate.client.RemoteReservationState.Local;
import io.headgate.client.RemoteReservationState.Settled;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses about reservations that no Headgate gives, and such that need a broken store. */
class UnusualReservationResponsesTest {
  private static final Duration PATIENT = Duration.ofSeconds(30);
  private static final Request REQUEST = Request.of(Subject.of("team", "a"));
  private static final Costs USED = Costs.of("tokens", 1);
  private static final String MADE =
      """
      {"id":"secret-id","allowed":true,"source":"store","reserved":{"tokens":5},"expiresAtMs":1}\
      """;

  private static HeadgateClient failingOpen(ScriptedService service, Duration deadline) {
    return HeadgateClient.connect(
        ClientOptions.builder(service.url()).token("secret-token").deadline(deadline).build());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "{}",
        "{\"allowed\":true,\"source\":\"store\"}",
        "{\"allowed\":true,\"source\":\"store\",\"id\":\"x\"}",
        "{\"allowed\":true,\"source\":\"store\",\"expiresAtMs\":1}",
        "{\"allowed\":true,\"source\":\"store\",\"id\":\"x\",\"expiresAtMs\":-1}",
        "{\"allowed\":true,\"source\":\"store\",\"id\":\"x\",\"expiresAtMs\":1,\"reserved\":[]}",
        "{\"allowed\":true,\"source\":\"store\",\"id\":\"x\",\"expiresAtMs\":1,\"reserved\":{\"a\":null}}",
        "{\"allowed\":true,\"source\":\"store\",\"id\":\"x\",\"expiresAtMs\":1,\"reserved\":{\"a\":-1}}",
        "{\"allowed\":true,\"source\":\"store\",\"id\":\"x\",\"expiresAtMs\":1,\"reserved\":{\"a\":9007199254740993}}"
      })
  void unreadableBodyIsNoReservation(String body) {
    try (var service = ScriptedService.replying(201, body);
        var client = failingOpen(service, PATIENT);
        var reservation = client.reserve(REQUEST)) {
      assertThat(reservation.id()).isEmpty();
      assertThat(reservation.result().failure()).get().asString().contains("check the URL");
      assertThatThrownBy(() -> client.onFailure(FailureMode.THROW).reserve(REQUEST))
          .isInstanceOf(HeadgateException.class)
          .hasMessageNotContaining("secret-token");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{}",
        "{\"status\":\"gone\"}",
        "{\"status\":200}",
        "{\"status\":\"open\",\"continue\":true}",
        "{\"status\":\"open\",\"expiresAtMs\":1}",
        "{\"status\":\"open\",\"continue\":\"true\",\"expiresAtMs\":1}",
        "{\"status\":\"settled\",\"charged\":{\"a\":1.5}}",
        "{\"status\":\"settled\",\"charged\":{\"a\":{}}}",
        "{\"status\":\"settled\"} more"
      })
  void unreadableBodyIsNoState(String body) {
    try (var service = ScriptedService.replying(200, body);
        var client = failingOpen(service, PATIENT)) {
      var reservations = client.reservations();
      assertThat(reservations.settle("secret-id", USED)).isInstanceOf(Fallback.class);
      assertThat(reservations.update("secret-id", USED, Costs.NONE))
          .isInstanceOfSatisfying(
              Fallback.class,
              fallback ->
                  assertThat(fallback.failure())
                      .contains("check the URL")
                      .doesNotContain("secret"));
      assertThat(service.requests()).hasSize(2); // a response is not repeated, whatever it is
    }
  }

  @Test
  void tooManyCostsAreUnreadable() {
    var costs =
        IntStream.range(0, 1_000)
            .mapToObj(i -> "\"cost-%d\":1".formatted(i))
            .collect(Collectors.joining(","));
    var body = "{\"status\":\"settled\",\"charged\":{%s}}".formatted(costs);
    assertThatThrownBy(() -> ReservationStateJson.read(body.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("out of range");
  }

  @Test
  void localReservationGoesOn() {
    try (var service = ScriptedService.replying(200, "{\"continue\":true,\"status\":\"local\"}");
        var client = failingOpen(service, PATIENT)) {
      var state = client.reservations().update("id", USED, Costs.NONE);
      assertThat(state).isEqualTo(new Local());
      assertThat(state.mayContinue()).isTrue();
      assertThat(client.reservations().settle("id", USED)).isEqualTo(new Local());
    }
  }

  @Test
  void unavailableStoreOfTheServiceIsDecidedByTheFailureMode() {
    try (var service =
            ScriptedService.replying(503, "{\"status\":503,\"detail\":\"the store is down\"}");
        var client = failingOpen(service, PATIENT)) {
      assertThat(client.reserve(REQUEST).result().failure()).get().asString().contains("is down");
      assertThat(client.reservations().settle("id", USED))
          .isInstanceOfSatisfying(
              Fallback.class,
              fallback -> assertThat(fallback.failure()).contains("the store is down"));
      assertThat(client.reservations().cancel("id")).isInstanceOf(Fallback.class);
      assertThat(client.charge(REQUEST).failure()).isPresent();
      assertThat(service.requests()).hasSize(4);
    }
  }

  /** The first response never comes, and its connection stays open. */
  @Test
  void settlementWithoutAResponseIsRepeatedWithinTheDeadline() {
    var arrived = new AtomicInteger();
    var end = new CountDownLatch(1);
    try (var service =
            new ScriptedService(exchange -> {
              if (arrived.incrementAndGet() == 1) awaitQuietly(end);
              var body =
                  "{\"status\":\"settled\",\"charged\":{\"tokens\":1}}"
                      .getBytes(StandardCharsets.UTF_8);
              exchange.sendResponseHeaders(200, body.length);
              exchange.getResponseBody().write(body);
              exchange.close();
            });
        var client = failingOpen(service, Duration.ofSeconds(6))) {
      assertThat(client.reservations().settle("id", USED)).isEqualTo(new Settled(USED, Costs.NONE));
      assertThat(service.requests())
          .containsExactly("POST /v1/reservations/id/settle", "POST /v1/reservations/id/settle");
    } finally {
      end.countDown();
    }
  }

  /** The response is slow, and that to the repetition never comes. */
  @Test
  void responseToTheFirstRequestCountsAlsoIfItIsLate() {
    var arrived = new AtomicInteger();
    var repeated = new CountDownLatch(1);
    var end = new CountDownLatch(1);
    try (var service =
            new ScriptedService(exchange -> {
              if (arrived.incrementAndGet() == 1) {
                awaitQuietly(repeated);
              } else {
                repeated.countDown();
                awaitQuietly(end);
              }
              exchange.sendResponseHeaders(204, -1);
              exchange.close();
            });
        var client = failingOpen(service, Duration.ofSeconds(6))) {
      assertThat(client.reservations().cancel("a/b"))
          .isEqualTo(new RemoteReservationState.Cancelled());
      assertThat(service.requests())
          .containsExactly("DELETE /v1/reservations/a%2Fb", "DELETE /v1/reservations/a%2Fb");
    } finally {
      end.countDown();
    }
  }

  @Test
  void settlementIsRepeatedOnceOnly() {
    try (var service = new ScriptedService(exchange -> exchange.close());
        var client = failingOpen(service, PATIENT)) {
      assertThat(client.reservations().settle("id", USED)).isInstanceOf(Fallback.class);
      assertThat(service.requests()).hasSize(2);
      assertThat(client.reserve(REQUEST).result().failure()).isPresent();
      assertThat(client.charge(REQUEST).failure()).isPresent();
      assertThat(client.reservations().update("id", USED, Costs.NONE)).isInstanceOf(Fallback.class);
      assertThat(service.requests()).hasSize(5);
    }
  }

  @Test
  void closingSendsNothingTwice() {
    try (var service = ScriptedService.replying(201, MADE);
        var client = failingOpen(service, PATIENT)) {
      var reservation = client.reserve(REQUEST);
      assertThat(reservation.toString()).doesNotContain("secret");
      reservation.close();
      reservation.close();
      assertThat(service.requests())
          .containsExactly("POST /v1/reservations", "DELETE /v1/reservations/secret-id");
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
