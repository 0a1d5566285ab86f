package io.headgate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision;
import io.headgate.client.outbound.QuotaFields;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * Checks that a response is either a decision within documented bounds, or rejected as unreadable.
 * The same holds for the responses of batches, for those of reservations and for quota fields.
 */
public final class ReplyFuzzTarget {
  private static final Request REQUEST = Request.of(Subject.of("user", "42"));
  private static final RemoteReservations RESERVATIONS =
      HeadgateClient.connect("http://127.0.0.1:1").reservations(); // never asked

  static {
    // Loads the classes before the time of an input counts, which is short for a busy machine.
    fuzzerTestOneInput(
        "{\"allowed\":true,\"source\":\"store\",\"limits\":[]}".getBytes(StandardCharsets.UTF_8));
  }

  public static void fuzzerTestOneInput(byte[] input) {
    try {
      if (ReplyJson.one(input) instanceof ReplyJson.Decided(var fields)) {
        requireValid(fields.result(REQUEST));
      }
    } catch (IOException e) {
      assertThat(e).hasMessageNotContaining("\n\n");
    }
    try {
      var results = ReplyJson.batch(input, List.of(REQUEST, REQUEST));
      assertThat(results).hasSize(2);
      results.forEach(ReplyFuzzTarget::requireValid);
    } catch (IOException e) {
      assertThat(e).isNotNull(); // not a batch of two
    }
    try {
      if (ReplyJson.one(input) instanceof ReplyJson.Decided(var fields)) {
        requireValid(fields.reservation(REQUEST, RESERVATIONS));
      }
    } catch (IOException e) {
      assertThat(e).isNotNull(); // not a reservation
    }
    try {
      var state = ReservationStateJson.read(input);
      assertThat(state).isNotInstanceOf(RemoteReservationState.Fallback.class);
    } catch (IOException e) {
      assertThat(e).hasMessageNotContaining("\n\n");
    }
    QuotaFields.requireBounded(new String(input, StandardCharsets.ISO_8859_1));
  }

  private static void requireValid(RemoteReservation reservation) {
    assertThat(reservation.id().isPresent()).isEqualTo(reservation.isAllowed());
    assertThat(reservation.expiresAt().isPresent()).isEqualTo(reservation.isAllowed());
    assertThat(reservation.result().slotId()).isEmpty();
    requireValid(reservation.result());
  }

  private static void requireValid(RemoteResult result) {
    assertThat(result.failure()).isEmpty();
    switch (result.decision()) {
      case Decision.Allowed(var remaining, var reset) -> {
        assertThat(remaining).isGreaterThanOrEqualTo(Decision.Allowed.UNKNOWN);
        assertThat(reset.isNegative()).isFalse();
      }
      case Decision.Delayed(var delay, var remaining, var reset) -> {
        assertThat(delay).isBetween(Duration.ofMillis(1), Decision.Denied.ENDLESS);
        assertThat(remaining).isGreaterThanOrEqualTo(Decision.Allowed.UNKNOWN);
        assertThat(reset.isNegative()).isFalse();
      }
      case Decision.Denied(var retry) ->
          assertThat(retry).isBetween(Duration.ZERO, Decision.Denied.ENDLESS);
      case Decision.Impossible(var cost, var capacity) ->
          assertThat(Math.min(cost, capacity)).isNotNegative();
    }
    var denials = new RepeatedDenials(Duration.ofSeconds(1));
    denials.add(REQUEST, result, 0);
    denials
        .find(REQUEST, 0)
        .ifPresent(found -> assertThat(found.decision()).isEqualTo(result.decision()));
  }

  private ReplyFuzzTarget() {}
}
