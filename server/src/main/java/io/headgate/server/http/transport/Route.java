package io.headgate.server.http.transport;

import io.headgate.server.api.Role;
import io.headgate.server.http.protocol.MediaTypes;
import org.jspecify.annotations.Nullable;

/**
 * The handler of one method of one path.
 *
 * @param role the permission that requests need
 * @param maxBody in bytes; a longer body is rejected. If 0, a body is ignored
 * @param format the media types of the body
 * @param traced the path in traces; empty if requests are not traced
 */
public record Route(Role role, int maxBody, Format format, String traced, Call call) {
  /** The media types of a body. */
  public enum Format {
    /** JSON only. */
    JSON("application/json in UTF-8"),
    /** JSON or YAML. */
    JSON_OR_YAML("application/json or application/yaml in UTF-8"),
    /** Bytes. */
    BINARY("application/octet-stream");

    private final String text;

    Format(String text) {
      this.text = text;
    }

    /** Returns the media types as they appear in messages. */
    String text() {
      return text;
    }

    boolean accepts(@Nullable String contentType) {
      return switch (this) {
        case JSON -> MediaTypes.isJson(contentType);
        case JSON_OR_YAML -> MediaTypes.isJson(contentType) || MediaTypes.isYaml(contentType);
        case BINARY -> MediaTypes.isBinary(contentType);
      };
    }
  }

  /** The length of the body of routes that ignore it. */
  public static final int NO_BODY = 0;

  /** The maximum length of one check. */
  public static final int ONE_CHECK = 64 * 1024;

  /** The maximum length of a batch of checks. */
  public static final int BATCH = 1024 * 1024;

  /** The maximum length of a call of another region. */
  public static final int HOME_CALL = 1024 * 1024;

  /** The maximum length of rules: 10,000 rules of 800 bytes. */
  public static final int RULES = 8 * 1024 * 1024;

  /** The maximum length of a simulation: a log of some 50,000 lines. */
  public static final int SIMULATION = 8 * 1024 * 1024;

  /** Creates a route that is not traced. */
  public Route(Role role, int maxBody, Format format, Call call) {
    this(role, maxBody, format, "", call);
  }

  /** Creates a route for JSON that is not traced. */
  public Route(Role role, int maxBody, Call call) {
    this(role, maxBody, Format.JSON, call);
  }

  Route tracedAs(String path) {
    return new Route(role, maxBody, format, path, call);
  }

  boolean isTraced() {
    return !traced.isEmpty();
  }

  boolean takesBody() {
    return maxBody > 0;
  }

  /** Handles a request that has been received completely. */
  @FunctionalInterface
  public interface Call {
    /** Handles the request and answers it, now or later. */
    void answer(Exchange exchange, byte[] body);
  }
}
