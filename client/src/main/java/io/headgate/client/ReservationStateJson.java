package io.headgate.client;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.headgate.Costs;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Optional;
import java.util.OptionalLong;

/** Parses the responses to updates and settlements of reservations, as {@link ReplyJson} does. */
final class ReservationStateJson {
  /** The name of the cost that limits without a named cost spend. */
  private static final String PLAIN = "cost";

  private String status = "";
  private Optional<Boolean> mayContinue = Optional.empty();
  private Optional<Instant> expiresAt = Optional.empty();
  private boolean grown;
  private Costs reserved = Costs.NONE;
  private Costs charged = Costs.NONE;
  private Costs returned = Costs.NONE;

  /**
   * Parses a state.
   *
   * @throws IOException if it is not a JSON object, or a member is missing or of the wrong type
   */
  static RemoteReservationState read(byte[] body) throws IOException {
    var state = new ReservationStateJson();
    try (var in = ReplyJson.parser(body)) {
      ReplyJson.expect(in.nextToken(), JsonToken.START_OBJECT);
      state.read(in);
      if (in.nextToken() != null) throw new IOException("text follows the JSON object");
    }
    return state.state();
  }

  private void read(JsonParser in) throws IOException {
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      String name = in.currentName();
      var value = in.nextToken();
      switch (name) {
        case "status" -> status = ReplyJson.text(in, value).orElse("");
        case "continue" -> mayContinue = Optional.of(ReplyJson.bool(value));
        case "expiresAtMs" -> expiresAt = instant(in, value);
        case "grown" -> grown = ReplyJson.bool(value);
        case "reserved" -> reserved = costs(in, value);
        case "charged" -> charged = costs(in, value);
        case "returned" -> returned = costs(in, value);
        default -> in.skipChildren();
      }
    }
  }

  private RemoteReservationState state() throws IOException {
    return switch (status) {
      case "open" ->
          new RemoteReservationState.Open(
              expiresAt.orElseThrow(() -> missing("expiresAtMs")),
              mayContinue.orElseThrow(() -> missing("continue")),
              grown,
              reserved);
      case "settled" -> new RemoteReservationState.Settled(charged, returned);
      case "expired" -> new RemoteReservationState.Expired(charged);
      case "local" -> new RemoteReservationState.Local();
      default -> throw new IOException("the status of the reservation is missing or unknown");
    };
  }

  /** Returns the exception for a response without a required member. */
  static IOException missing(String member) {
    return new IOException("the member '%s' is missing".formatted(member));
  }

  static Optional<Instant> instant(JsonParser in, JsonToken value) throws IOException {
    return ReplyJson.number(in, value).map(Instant::ofEpochMilli);
  }

  /** Parses amounts by cost. */
  static Costs costs(JsonParser in, JsonToken value) throws IOException {
    ReplyJson.expect(value, JsonToken.START_OBJECT);
    var plain = OptionalLong.empty();
    var named = new HashMap<String, Long>();
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      String name = in.currentName();
      long amount = ReplyJson.number(in, in.nextToken()).orElseThrow(() -> missing("amount"));
      if (name.equals(PLAIN)) plain = OptionalLong.of(amount);
      else named.put(name, amount);
    }
    try {
      return new Costs(plain, named);
    } catch (IllegalArgumentException e) {
      throw new IOException("the costs of the response are out of range", e);
    }
  }

  private ReservationStateJson() {}
}
