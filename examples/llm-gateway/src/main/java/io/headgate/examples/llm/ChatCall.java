package io.headgate.examples.llm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import io.headgate.Costs;
import io.headgate.Reservation;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * Forwards the response of a model to the client, and keeps the reservation of the call up to date.
 * Used by one thread.
 */
final class ChatCall {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String DATA = "data:";
  private static final int MAX_RESPONSE = 4 << 20;

  /** How many tokens to forward between two updates of the reservation. */
  private static final int UPDATE_EVERY = 20;

  private final HttpExchange exchange;
  private final Reservation reservation;
  private final TokenEstimator estimator;
  private final long prompt;
  private long used;

  /**
   * Creates a call.
   *
   * @param prompt the estimated tokens of the prompt
   */
  ChatCall(HttpExchange exchange, Reservation reservation, TokenEstimator estimator, long prompt) {
    this.exchange = exchange;
    this.reservation = reservation;
    this.estimator = estimator;
    this.prompt = prompt;
    this.used = prompt;
  }

  /** Forwards a response as a whole, and settles the usage that it reports. */
  void forwardWhole(HttpResponse<InputStream> response) throws IOException {
    byte[] body;
    try (var in = response.body()) {
      body = in.readNBytes(MAX_RESPONSE);
    }
    if (response.statusCode() == 200) {
      settle(
          usage(JSON.readTree(body))
              .orElse(used + estimator.tokens(new String(body, StandardCharsets.UTF_8))));
    } else {
      reservation.cancel(); // the model did no work
    }
    ModelLimitHeaders.write(reservation.result(), exchange.getResponseHeaders());
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(response.statusCode(), body.length);
    exchange.getResponseBody().write(body);
  }

  /**
   * Forwards a stream event by event. Ends it if nothing is left of the limits, and settles the
   * usage that the model reports, or the tokens that were forwarded if the stream ends early.
   */
  void forwardStream(HttpResponse<InputStream> response) throws IOException {
    ModelLimitHeaders.write(reservation.result(), exchange.getResponseHeaders());
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    var out = exchange.getResponseBody();
    var reported = OptionalLong.empty();
    try (var in =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      long unreported = 0;
      for (var line = in.readLine(); line != null; line = in.readLine()) {
        send(out, line + "\n");
        if (!line.startsWith(DATA) || line.endsWith("[DONE]")) continue;
        var event = JSON.readTree(line.substring(DATA.length()));
        if (reported.isEmpty()) reported = usage(event);
        long tokens = estimator.tokens(event.at("/choices/0/delta/content").asText(""));
        used += tokens;
        unreported += tokens;
        if (unreported < UPDATE_EVERY) continue;
        unreported = 0;
        if (!reservation.update(tokens(used)).mayContinue()) {
          send(out, stopEvent());
          return;
        }
      }
    } finally {
      settle(reported.orElse(used)); // also if the client has gone
    }
  }

  private static void send(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    if (text.equals("\n")) out.flush(); // an event is complete
  }

  /** Returns a last event that a client reads as the end of an answer that was cut short. */
  private static String stopEvent() {
    return """

    data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"length"}],\
    "headgate":"the token limit is used up; the answer was cut short"}

    data: [DONE]

    """;
  }

  private void settle(long total) {
    reservation.settle(tokens(Math.max(total, prompt)));
  }

  private static Costs tokens(long count) {
    return Costs.of("tokens", count);
  }

  private static OptionalLong usage(JsonNode response) {
    var total = response.path("usage").path("total_tokens");
    return total.isIntegralNumber() ? OptionalLong.of(total.asLong()) : OptionalLong.empty();
  }
}
