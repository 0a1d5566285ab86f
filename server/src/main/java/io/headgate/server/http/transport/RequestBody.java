package io.headgate.server.http.transport;

import io.headgate.http.TextSyntax;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** The body of a request while it arrives, and its validation. */
final class RequestBody {
  private static final long MAX_DISCARDED = 16L * 1024 * 1024;

  private @Nullable Buffer bytes;
  private long received;
  private boolean copied;

  /** Appends a chunk to the body. An unwanted or too long body is discarded. */
  void append(Buffer chunk, boolean wanted, int maxLength) {
    received += chunk.length();
    if (!wanted || received > maxLength) drop();
    else bytes = bytes == null ? chunk : joined(bytes, chunk);
  }

  /**
   * Appends a chunk. The first chunk is a slice of the read buffer and can't grow, so it is copied.
   */
  private Buffer joined(Buffer before, Buffer chunk) {
    if (copied) return before.appendBuffer(chunk);
    copied = true;
    return Buffer.buffer(2 * (before.length() + chunk.length()))
        .appendBuffer(before)
        .appendBuffer(chunk);
  }

  /** Returns the number of bytes that are held. */
  long length() {
    return bytes == null ? 0 : bytes.length();
  }

  /** Discards the body. */
  void drop() {
    bytes = null;
  }

  /** Returns whether so much has arrived that the end is not awaited. */
  boolean isTooLongToDrain() {
    return isTooLongToDrain(received);
  }

  static boolean isTooLongToDrain(long announced) {
    return announced > MAX_DISCARDED;
  }

  /**
   * Returns the whole body.
   *
   * @throws ProblemException with status 413 if it is longer than the route allows
   */
  byte[] bytes(Route route) {
    if (route.takesBody() && received > route.maxBody()) {
      throw new ProblemException(tooLong(route.maxBody()));
    }
    return bytes == null ? new byte[0] : bytes.getBytes();
  }

  static ProblemDocument tooLong(int maxLength) {
    return ProblemDocument.of(
        413,
        "body",
        "the body may have at most %d bytes; send fewer or shorter fields, or several batches"
            .formatted(maxLength));
  }

  /** Returns the length that the client has announced; 0 if it is unknown. */
  static long announced(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (length == null) return 0;
    try {
      return Long.parseLong(length);
    } catch (NumberFormatException e) {
      return 0; // the decoder has rejected the request
    }
  }

  /** Rejects a body with an unsupported media type or encoding. */
  static void requireReadable(HttpServerRequest request, Route wanted) {
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    if (!wanted.format().accepts(type)) {
      throw new ProblemException(
          ProblemDocument.of(
              415,
              "Content-Type",
              "Content-Type must be %s, got '%s'"
                  .formatted(wanted.format().text(), TextSyntax.excerpt(String.valueOf(type)))));
    }
    String encoding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw new ProblemException(
          ProblemDocument.of(
              415,
              "Content-Encoding",
              "Content-Encoding '%s' is not supported; send the body without encoding"
                  .formatted(TextSyntax.excerpt(encoding))));
    }
  }
}
