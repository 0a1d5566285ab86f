package io.headgate.server.http.transport;

import io.headgate.server.api.Role;

/**
 * What serves one method of one path.
 *
 * @param longestBody in bytes; a longer one is refused. Where none is taken, one that is sent is
 *     ignored
 * @param yaml whether the body may be YAML too, of which JSON is a kind
 * @param traced the path that traces show; empty where requests are not traced
 */
public record Route(Role role, int longestBody, boolean yaml, String traced, Call call) {
  public static final int NO_BODY = 0;
  public static final int ONE_CHECK = 64 * 1024;
  public static final int BATCH = 1024 * 1024;
  public static final int RULES = 8 * 1024 * 1024; // 10,000 rules of 800 bytes
  public static final int TRIAL = 8 * 1024 * 1024; // a log of some 50,000 lines

  public Route(Role role, int longestBody, boolean yaml, Call call) {
    this(role, longestBody, yaml, "", call);
  }

  public Route(Role role, int longestBody, Call call) {
    this(role, longestBody, false, call);
  }

  Route tracedAs(String path) {
    return new Route(role, longestBody, yaml, path, call);
  }

  boolean isTraced() {
    return !traced.isEmpty();
  }

  boolean takesBody() {
    return longestBody > 0;
  }

  /** Answers a request that has been received whole. */
  @FunctionalInterface
  public interface Call {
    void answer(Exchange exchange, byte[] body);
  }
}
