package io.headgate.server.http.transport;

import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.TextSyntax;
import io.headgate.server.http.protocol.MediaTypes;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** The body of a request as it comes, and what is refused about it. */
final class RequestBody {
  private static final long MOST_DISCARDED = 16L * 1024 * 1024;

  private @Nullable Buffer bytes;
  private long received;
  private boolean grown;

  /** What is wanted is kept while it is not too long, and what is not wanted is let go by. */
  void take(Buffer chunk, boolean wanted, int longest) {
    received += chunk.length();
    if (!wanted || received > longest) drop();
    else bytes = bytes == null ? chunk : joined(bytes, chunk);
  }

  /** What comes first is a piece of what was read, which can't grow, or not without harm. */
  private Buffer joined(Buffer before, Buffer chunk) {
    if (grown) return before.appendBuffer(chunk);
    grown = true;
    return Buffer.buffer(2 * (before.length() + chunk.length()))
        .appendBuffer(before)
        .appendBuffer(chunk);
  }

  /** How many bytes are kept. */
  long kept() {
    return bytes == null ? 0 : bytes.length();
  }

  void drop() {
    bytes = null;
  }

  /** Whether so much has come that it is not worth waiting for the end. */
  boolean isEndless() {
    return isEndless(received);
  }

  static boolean isEndless(long announced) {
    return announced > MOST_DISCARDED;
  }

  /** All of it. */
  byte[] bytes(Route route) {
    if (route.takesBody() && received > route.longestBody()) {
      throw new ProblemException(tooLong(route.longestBody()));
    }
    return bytes == null ? new byte[0] : bytes.getBytes();
  }

  static ProblemDocument tooLong(int longest) {
    return ProblemDocument.of(
        413,
        "body",
        "the body may have at most %d bytes; send fewer or shorter fields, or several batches"
            .formatted(longest));
  }

  /** How much is to come, as far as the client says. */
  static long announced(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (length == null) return 0;
    try {
      return Long.parseLong(length);
    } catch (NumberFormatException e) {
      return 0; // the decoder has refused what it can't read
    }
  }

  /** Refuses what is sent in a form that is not understood. */
  static void requireReadable(HttpServerRequest request, Route wanted) {
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    if (!MediaTypes.isJson(type) && !(wanted.yaml() && MediaTypes.isYaml(type))) {
      throw new ProblemException(
          ProblemDocument.of(
              415,
              "Content-Type",
              "Content-Type must be application/json%s in UTF-8, got '%s'"
                  .formatted(
                      wanted.yaml() ? " or application/yaml" : "",
                      TextSyntax.shown(String.valueOf(type)))));
    }
    String encoding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw new ProblemException(
          ProblemDocument.of(
              415,
              "Content-Encoding",
              "Content-Encoding '%s' is not understood; send the body as it is"
                  .formatted(TextSyntax.shown(encoding))));
    }
  }
}
