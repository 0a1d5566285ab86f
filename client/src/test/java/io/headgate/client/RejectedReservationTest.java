package io.headgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.Costs;
import io.headgate.client.RemoteReservationState.Fallback;
import io.headgate.client.RemoteReservationState.Settled;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reservations with ids, costs and tokens that the real service rejects, and a closed client. */
class RejectedReservationTest {
  private static final Duration PATIENT = Duration.ofSeconds(30);
  private static final Duration TTL = Duration.ofMinutes(1);

  private static final Rule MODEL =
      Rule.named("model")
          .match("team", "*")
          .limit(RuleLimit.of("tokens", FixedWindow.of(Rate.perDay(1_000))).withCost("tokens"))
          .build();

  private static final TestService SERVICE = TestService.with(MODEL);
  private static final HeadgateClient CLIENT = connected(FailureMode.THROW);

  private static HeadgateClient connected(FailureMode mode) {
    return HeadgateClient.connect(
        ClientOptions.builder(SERVICE.url()).deadline(PATIENT).failureMode(mode).build());
  }

  @AfterAll
  static void stop() {
    CLIENT.close();
    SERVICE.close();
  }

  private static Subject team(String name) {
    return Subject.of("team", name);
  }

  private static Costs tokens(long tokens) {
    return Costs.of("tokens", tokens);
  }

  private static RemoteReservation reserve(Subject subject, long tokens) {
    return CLIENT.reserve(subject, tokens(tokens), TTL);
  }

  private static long left(Subject team) {
    return SERVICE.limiter().peek(team).limits().getFirst().remaining();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "unknown",
        "../check",
        "a/settle?x=1#y",
        "%2e%2e",
        " ",
        "line\r\nHost: elsewhere",
        "\"}",
        "\ud83d\ude00",
        "\ud83d",
        "+"
      })
  void idThatIsNotValidIsRejectedInEveryMode(String id) {
    for (var mode : FailureMode.values()) {
      var reservations = CLIENT.onFailure(mode).reservations();
      assertRejected(404, () -> reservations.update(id, tokens(1), Costs.NONE));
      assertRejected(404, () -> reservations.settle(id, tokens(1)));
      assertRejected(404, () -> reservations.cancel(id));
    }
  }

  @Test
  void idThatIsNoSegmentOfAPathIsNotSent() {
    var reservations = CLIENT.reservations();
    for (var id : List.of("", ".", "..")) {
      assertThatThrownBy(() -> reservations.cancel(id))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not the id of a reservation");
    }
    assertThatThrownBy(
            () -> CLIENT.onFailure(FailureMode.ALLOW).reservations().cancel("x".repeat(100_000)))
        .isInstanceOf(RequestRejectedException.class);
  }

  @ParameterizedTest
  @EnumSource(FailureMode.class)
  void invalidRequestsAreRejectedInEveryModeAndChargeNothing(FailureMode mode) {
    var client = CLIENT.onFailure(mode);
    var team = team("hostile-" + mode);
    assertRejected(400, () -> client.reserve(team("line\nbreak"), tokens(1), TTL));
    assertRejected(400, () -> client.charge(Request.of(team("line\nbreak"))));
    assertRejected(400, () -> client.reserve(team, Costs.of("line\nbreak", 1), TTL));
    var reservation = client.reserve(team, tokens(600), TTL);
    assertRejected(400, () -> reservation.update(Costs.of("line\nbreak", 1)));
    assertRejected(400, () -> reservation.settle(Costs.of("x".repeat(5_000), 1)));
    assertThat(reservation.settle(tokens(1))).isInstanceOf(Settled.class);
    assertThat(left(team)).isEqualTo(999);
  }

  @Test
  void halfOfASurrogatePairIsRejected() {
    assertRejected(400, () -> reserve(team("\ud83d"), 1));
    assertRejected(400, () -> reserve(team("\ud83dx"), 1));
    var reservation = reserve(team("surrogate"), 1);
    assertRejected(400, () -> reservation.settle(Costs.of("\ud83d", 1)));
  }

  @Test
  void nameOfACostIsEscaped() {
    var team = team("escaped");
    var reservation = reserve(team, 600);
    var odd = Costs.of(Map.of("\"},\"tokens\":{\"", 1L, "tokens", 7L));
    assertThatThrownBy(() -> reservation.settle(odd))
        .isInstanceOf(RequestRejectedException.class)
        .hasMessageContaining("400: cost '\"},\"tokens\":{\"' is not a cost of this reservation");
    assertThat(reservation.settle(tokens(7))).isEqualTo(new Settled(tokens(7), tokens(593)));
  }

  @Test
  void timeToLiveIsWithinBounds() {
    for (var ttl : List.of(Duration.ZERO, Duration.ofMillis(999), Duration.ofMinutes(61))) {
      assertThatThrownBy(() -> CLIENT.reserve(team("ttl"), tokens(1), ttl))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void wrongTokenIsAnExceptionEvenIfTheClientFailsOpen() {
    try (var service = TestService.withToken("right", MODEL);
        var client =
            HeadgateClient.connect(
                ClientOptions.builder(service.url()).deadline(PATIENT).token("wrong").build())) {
      assertRejected(401, () -> client.reserve(Request.of(team("a"))));
      assertRejected(401, () -> client.reservations().settle("id", tokens(1)));
      assertRejected(401, () -> client.reservations().cancel("id"));
      assertRejected(401, () -> client.charge(Request.of(team("a"))));
    }
  }

  private static void assertRejected(int status, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            rejected -> assertThat(rejected.status()).isEqualTo(status));
  }

  @Test
  void idIsNotPrinted() {
    var reservation = reserve(team("printed"), 1);
    String id = reservation.id().orElseThrow();
    assertThat(reservation.toString()).contains("id=(set)").doesNotContain(id);
    assertThat(reservation.result().toString()).doesNotContain(id);
    assertThat(reservation.settle(tokens(1)).toString()).doesNotContain(id);
    assertThatThrownBy(() -> CLIENT.reservations().cancel(id + "x"))
        .isInstanceOf(RequestRejectedException.class)
        .hasMessageNotContaining(id);
  }

  @ParameterizedTest
  @EnumSource(FailureMode.class)
  void closedClientFailsInsteadOfHanging(FailureMode mode) {
    var client = connected(mode);
    var team = team("closed-client-" + mode);
    var reservation = client.reserve(team, tokens(1), TTL);
    var unsettled = client.reserve(team, tokens(1), TTL);
    client.close();
    unsettled.close(); // which is ignored
    if (mode == FailureMode.THROW) {
      assertThatThrownBy(() -> reservation.settle(tokens(1))).isInstanceOf(HeadgateException.class);
      assertThatThrownBy(reservation::cancel).isInstanceOf(HeadgateException.class);
      assertThatThrownBy(() -> client.reserve(Request.of(team)))
          .isInstanceOf(HeadgateException.class);
    } else {
      boolean open = mode == FailureMode.ALLOW;
      assertThat(reservation.update(tokens(1)).mayContinue()).isEqualTo(open);
      assertThat(reservation.settle(tokens(1))).isInstanceOf(Fallback.class);
      assertThat(reservation.cancel()).isInstanceOf(Fallback.class);
      assertThat(client.reserve(Request.of(team)).isAllowed()).isEqualTo(open);
      assertThat(client.charge(Request.of(team)).failure()).isPresent();
    }
  }
}
