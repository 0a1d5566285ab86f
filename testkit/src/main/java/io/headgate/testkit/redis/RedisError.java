package io.headgate.testkit.redis;

/** An error reply; the message is its text, such as {@code ERR unknown command}. */
public final class RedisError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RedisError(String text) {
    super(text);
  }
}
