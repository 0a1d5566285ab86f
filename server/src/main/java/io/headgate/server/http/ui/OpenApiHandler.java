package io.headgate.server.http.ui;

import io.headgate.server.http.transport.Exchange;
import io.headgate.server.http.transport.SharedBuffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;

/** Serves the OpenAPI description of this API. */
public final class OpenApiHandler {
  static final String MEDIA_TYPE = "application/yaml";

  private static final SharedBuffer DOCUMENT = new SharedBuffer(read());

  /** Answers with the description. */
  public static void answer(Exchange exchange, byte[] body) {
    exchange.answer(200, MEDIA_TYPE, DOCUMENT);
  }

  private static byte[] read() {
    try (var in = OpenApiHandler.class.getResourceAsStream("/openapi.yaml")) {
      return Objects.requireNonNull(in, "openapi.yaml is not in the jar").readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private OpenApiHandler() {}
}
