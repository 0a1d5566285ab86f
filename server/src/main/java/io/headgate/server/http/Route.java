package io.headgate.server.http;

/**
 * What serves one method of one path.
 *
 * @param longestBody in bytes; a longer one is refused. Where none is taken, one that is sent is
 *     ignored
 */
record Route(Role role, int longestBody, Call call) {
  static final int NO_BODY = 0;
  static final int ONE_CHECK = 64 * 1024;
  static final int BATCH = 1024 * 1024;

  boolean takesBody() {
    return longestBody > 0;
  }

  /** Answers a request that has been received whole. */
  @FunctionalInterface
  interface Call {
    void answer(Exchange exchange, byte[] body);
  }
}
