package io.headgate.client;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a call to the service failed. The message contains what failed, why and what to do, and
 * never the token.
 */
public class HeadgateException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  HeadgateException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
