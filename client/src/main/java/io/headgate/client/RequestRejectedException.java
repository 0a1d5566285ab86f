package io.headgate.client;

/**
 * Thrown if the service rejected a request as invalid or not permitted. Nothing was charged. Not
 * subject to the {@link FailureMode}: a wrong token or an invalid subject must not let requests
 * pass.
 */
public final class RequestRejectedException extends HeadgateException {
  private static final long serialVersionUID = 1L;

  /** The HTTP status. */
  private final int status;

  RequestRejectedException(int status, String message) {
    super(message, null);
    this.status = status;
  }

  /** Returns the HTTP status, from 400 to 499. */
  public int status() {
    return status;
  }
}
