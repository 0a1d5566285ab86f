package io.headgate.client;

import com.fasterxml.jackson.core.JsonGenerator;
import io.headgate.Costs;
import io.headgate.rule.Request;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/** Writes the requests of reservations as the JSON of the HTTP API. */
final class ReservationBodies {
  private static final String TTL = "ttlMs";

  /** Returns the body that reserves the costs of a request. */
  static byte[] reserve(Request request, Duration ttl) {
    return CheckJson.object(out -> {
      CheckJson.writeMembers(out, request);
      out.writeNumberField(TTL, ttl.toMillis());
    });
  }

  /**
   * Returns the body of an update.
   *
   * @throws IllegalArgumentException if {@code more} has a plain cost, which the API has no member
   *     for
   */
  static byte[] update(Costs usedSoFar, Costs more, Duration ttl) {
    if (more.plain().isPresent()) {
      throw new IllegalArgumentException(
          "a service adds permits of named costs only; reserve the plain cost at first");
    }
    return CheckJson.object(out -> {
      writeUsage(out, "used", usedSoFar);
      if (!more.named().isEmpty()) writeCosts(out, "more", more.named());
      out.writeNumberField(TTL, ttl.toMillis());
    });
  }

  /** Returns the body of a settlement. */
  static byte[] settlement(Costs actual) {
    return CheckJson.object(out -> writeUsage(out, "actual", actual));
  }

  private static void writeUsage(JsonGenerator out, String member, Costs usage) throws IOException {
    writeCosts(out, member, usage.named());
    if (usage.plain().isPresent()) out.writeNumberField("cost", usage.plain().getAsLong());
  }

  private static void writeCosts(JsonGenerator out, String member, Map<String, Long> costs)
      throws IOException {
    out.writeObjectFieldStart(member);
    for (var cost : costs.entrySet()) out.writeNumberField(cost.getKey(), cost.getValue());
    out.writeEndObject();
  }

  private ReservationBodies() {}
}
