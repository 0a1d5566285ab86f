package io.headgate.http;

/**
 * Thrown for a path that servers read in different ways. Limiting it by one of the readings would
 * let a client choose the rules that apply. Has no stack trace, since clients cause it.
 */
public final class AmbiguousPathException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Creates an exception.
   *
   * @param reason what makes the path ambiguous, without the path itself and without quotes
   */
  public AmbiguousPathException(String reason) {
    super(
        "the path is ambiguous: it has %s; send it in its plain form".formatted(reason),
        null,
        false,
        false);
  }

  /** Returns the response to the request: a problem document with status 400. */
  public String json() {
    return "{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,\"detail\":\"%s\"}"
        .formatted(getMessage());
  }
}
