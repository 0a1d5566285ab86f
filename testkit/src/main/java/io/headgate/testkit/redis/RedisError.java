package io.headgate.testkit.redis;

/**
 * The server answered with an error; the message is its text, such as {@code ERR unknown command}.
 */
public final class RedisError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RedisError(String text) {
    super(text);
  }
}
