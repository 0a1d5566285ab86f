package io.headgate.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.headgate.rule.Request;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Parses responses of the HTTP API. Unknown members are skipped, so that a newer service can add
 * some; a known member of the wrong type is an error.
 */
final class ReplyJson {
  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(32)
                  .maxStringLength(100_000)
                  .maxNumberLength(40)
                  .build())
          .build();

  /** An object of a response: a decision, or a problem document. */
  sealed interface Reply {}

  /** A decision. */
  record Decided(DecisionFields fields) implements Reply {}

  /** An object without the member {@code allowed}; its detail may be empty. */
  record Problem(String detail) implements Reply {}

  /** Returns a parser with bounds on nesting and lengths. */
  static JsonParser parser(byte[] body) throws IOException {
    return FACTORY.createParser(body);
  }

  /**
   * Parses an object.
   *
   * @throws IOException if it is not a JSON object, or a member has the wrong type
   */
  static Reply one(byte[] body) throws IOException {
    try (var in = parser(body)) {
      expect(in.nextToken(), JsonToken.START_OBJECT);
      var reply = object(in);
      if (in.nextToken() != null) throw new IOException("text follows the JSON object");
      return reply;
    }
  }

  /**
   * Parses the decisions of a batch.
   *
   * @param requests the checks of the batch
   * @throws IOException if there is not one decision for each check
   */
  static List<RemoteResult> batch(byte[] body, List<Request> requests) throws IOException {
    var results = new ArrayList<RemoteResult>(requests.size());
    try (var in = parser(body)) {
      expect(in.nextToken(), JsonToken.START_OBJECT);
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        String name = in.currentName();
        var value = in.nextToken();
        if (!name.equals("decisions")) {
          in.skipChildren();
          continue;
        }
        expect(value, JsonToken.START_ARRAY);
        while (in.nextToken() == JsonToken.START_OBJECT) {
          if (results.size() == requests.size()) throw new IOException("too many decisions");
          results.add(decision(object(in), requests.get(results.size())));
        }
      }
    }
    if (results.size() == requests.size()) return results;
    throw new IOException("%d decisions for %d checks".formatted(results.size(), requests.size()));
  }

  private static RemoteResult decision(Reply reply, Request request) throws IOException {
    return switch (reply) {
      case Decided(var fields) -> fields.result(request);
      case Problem problem -> throw new IOException("the member 'allowed' is missing");
    };
  }

  /**
   * Parses the response to a request for a permit lease.
   *
   * @throws IOException if it is not a JSON object, or a member is missing or of the wrong type
   */
  static DecisionFields lease(byte[] body) throws IOException {
    var fields = new DecisionFields();
    try (var in = parser(body)) {
      expect(in.nextToken(), JsonToken.START_OBJECT);
      read(in, fields);
      if (in.nextToken() != null) throw new IOException("text follows the JSON object");
    }
    if (fields.checks.isEmpty()) throw new IOException("the member 'checks' is missing");
    if (fields.checks.get() == 0) return fields;
    if (fields.slotId.isEmpty()) throw new IOException("the member 'id' is missing");
    if (fields.ttl.isEmpty()) throw new IOException("the member 'ttlMs' is missing");
    return fields;
  }

  private static Reply object(JsonParser in) throws IOException {
    var fields = new DecisionFields();
    String detail = read(in, fields);
    return fields.allowed.isPresent() ? new Decided(fields) : new Problem(detail);
  }

  /** Reads the members of an object; returns the detail of a problem document, or nothing. */
  private static String read(JsonParser in, DecisionFields fields) throws IOException {
    String detail = "";
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      String name = in.currentName();
      var value = in.nextToken();
      switch (name) {
        case "allowed" -> fields.allowed = Optional.of(bool(value));
        case "rule" -> fields.rule = text(in, value);
        case "limit" -> fields.limit = number(in, value);
        case "remaining" -> fields.remaining = number(in, value);
        case "retryAfterMs" -> fields.retryAfter = millis(in, value);
        case "resetAfterMs" -> fields.resetAfter = millis(in, value);
        case "delayMs" -> fields.delay = millis(in, value);
        case "source" -> fields.source = text(in, value);
        case "impossible" -> fields.impossible = bool(value);
        case "id" -> fields.slotId = text(in, value);
        case "violated" -> fields.violated = texts(in, value);
        case "unusedCosts" -> fields.unusedCosts = texts(in, value);
        case "limits" -> fields.limits = limits(in, value);
        case "checks" -> fields.checks = number(in, value);
        case "ttlMs" -> fields.ttl = millis(in, value);
        case "reserved" -> fields.reserved = ReservationStateJson.costs(in, value);
        case "requested" -> fields.requested = Optional.of(ReservationStateJson.costs(in, value));
        case "expiresAtMs" -> fields.expiresAt = ReservationStateJson.instant(in, value);
        case "lasting" -> fields.lasting = bool(value);
        case "detail" -> detail = text(in, value).orElse("");
        default -> in.skipChildren();
      }
    }
    return detail;
  }

  private static List<RemoteLimit> limits(JsonParser in, JsonToken list) throws IOException {
    expect(list, JsonToken.START_ARRAY);
    var limits = new ArrayList<RemoteLimit>();
    while (in.nextToken() == JsonToken.START_OBJECT) limits.add(limit(in));
    expect(in.currentToken(), JsonToken.END_ARRAY);
    return limits;
  }

  private static RemoteLimit limit(JsonParser in) throws IOException {
    String rule = "";
    String name = "";
    String algorithm = "";
    long limit = 0;
    var remaining = Optional.<Long>empty();
    var resetAfter = Optional.<Duration>empty();
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      String member = in.currentName();
      var value = in.nextToken();
      switch (member) {
        case "rule" -> rule = text(in, value).orElse("");
        case "name" -> name = text(in, value).orElse("");
        case "algorithm" -> algorithm = text(in, value).orElse("");
        case "limit" -> limit = number(in, value).orElse(0L);
        case "remaining" -> remaining = number(in, value);
        case "resetAfterMs" -> resetAfter = millis(in, value);
        default -> in.skipChildren();
      }
    }
    return new RemoteLimit(rule, name, algorithm, limit, remaining, resetAfter);
  }

  private static List<String> texts(JsonParser in, JsonToken list) throws IOException {
    expect(list, JsonToken.START_ARRAY);
    var texts = new ArrayList<String>();
    while (in.nextToken() == JsonToken.VALUE_STRING) texts.add(in.getText());
    expect(in.currentToken(), JsonToken.END_ARRAY);
    return texts;
  }

  static Optional<String> text(JsonParser in, JsonToken value) throws IOException {
    if (value == JsonToken.VALUE_NULL) return Optional.empty();
    expect(value, JsonToken.VALUE_STRING);
    return Optional.of(in.getText());
  }

  static boolean bool(JsonToken value) throws IOException {
    if (value == JsonToken.VALUE_TRUE) return true;
    expect(value, JsonToken.VALUE_FALSE);
    return false;
  }

  private static Optional<Duration> millis(JsonParser in, JsonToken value) throws IOException {
    return number(in, value).map(Duration::ofMillis);
  }

  static Optional<Long> number(JsonParser in, JsonToken value) throws IOException {
    if (value == JsonToken.VALUE_NULL) return Optional.empty();
    expect(value, JsonToken.VALUE_NUMBER_INT);
    long number = in.getLongValue();
    if (number < 0) throw new IOException("a number is negative: " + number);
    return Optional.of(number);
  }

  static void expect(JsonToken found, JsonToken wanted) throws IOException {
    if (found != wanted) throw new IOException("expected %s, found %s".formatted(wanted, found));
  }

  private ReplyJson() {}
}
