package io.headgate.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.headgate.rule.Request;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes requests as the JSON of the HTTP API. */
final class CheckJson {
  private static final JsonFactory FACTORY = new JsonFactory();
  private static final byte[] BEGIN = "{\"checks\":[".getBytes(StandardCharsets.UTF_8);
  private static final byte[] END = "]}".getBytes(StandardCharsets.UTF_8);

  /** Writes the members of an object. */
  @FunctionalInterface
  interface Members {
    void write(JsonGenerator out) throws IOException;
  }

  /** Returns an object as JSON. */
  static byte[] object(Members members) {
    var bytes = new ByteArrayOutputStream(128);
    try (var out = FACTORY.createGenerator(bytes)) {
      out.writeStartObject();
      members.write(out);
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail
    }
    return bytes.toByteArray();
  }

  /** Returns the body of one check. */
  static byte[] of(Request request) {
    return object(out -> writeMembers(out, request));
  }

  /**
   * Returns the body of a request for a permit lease.
   *
   * @param used the checks of the present lease that were made; negative if there is none
   * @param checks the wish; negative to release the lease
   */
  static byte[] lease(Request request, long used, long checks) {
    return object(out -> {
      writeMembers(out, request);
      if (used >= 0) out.writeNumberField("used", used);
      if (checks >= 0) out.writeNumberField("checks", checks);
    });
  }

  /** Returns the body of a batch. */
  static byte[] batch(List<byte[]> checks) {
    var bytes = new ByteArrayOutputStream(128 * checks.size());
    bytes.writeBytes(BEGIN);
    for (int i = 0; i < checks.size(); i++) {
      if (i > 0) bytes.write(',');
      bytes.writeBytes(checks.get(i));
    }
    bytes.writeBytes(END);
    return bytes.toByteArray();
  }

  /** Writes the subject and the costs of a request. */
  static void writeMembers(JsonGenerator out, Request request) throws IOException {
    out.writeObjectFieldStart("subject");
    for (var attribute : request.subject().attributes().entrySet()) {
      out.writeStringField(attribute.getKey(), attribute.getValue());
    }
    out.writeEndObject();
    if (request.cost() != 1) out.writeNumberField("cost", request.cost());
    if (!request.costs().isEmpty()) {
      out.writeObjectFieldStart("costs");
      for (var cost : request.costs().entrySet()) {
        out.writeNumberField(cost.getKey(), cost.getValue());
      }
      out.writeEndObject();
    }
  }

  private CheckJson() {}
}
