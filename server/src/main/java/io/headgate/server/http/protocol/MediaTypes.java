package io.headgate.server.http.protocol;

import io.headgate.server.api.ProblemDocument;
import io.vertx.core.http.HttpHeaders;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses the {@code Content-Type} and {@code Accept} headers, as far as the API needs content
 * negotiation.
 */
public final class MediaTypes {
  public static final String JSON = "application/json";

  /** {@link #JSON}, which Netty need not encode again. */
  public static final CharSequence ENCODED_JSON = HttpHeaders.createOptimized(JSON);

  public static final String YAML = "application/yaml";
  public static final String BINARY = "application/octet-stream";

  private static final Set<String> YAML_TYPES =
      Set.of(YAML, "application/x-yaml", "text/yaml", "text/x-yaml");

  /**
   * Returns whether a body is JSON in UTF-8, under any of its media types. A missing type counts as
   * JSON.
   */
  public static boolean isJson(@Nullable String contentType) {
    if (contentType == null || contentType.equals(JSON)) return true;
    var parts = contentType.toLowerCase(Locale.ROOT).split(";", -1);
    String type = parts[0].strip();
    if (!type.equals(JSON) && !(type.startsWith("application/") && type.endsWith("+json"))) {
      return false;
    }
    return isUtf8(parts);
  }

  /** Returns whether a body is YAML in UTF-8, under any of its media types. */
  public static boolean isYaml(@Nullable String contentType) {
    if (contentType == null) return false;
    var parts = contentType.toLowerCase(Locale.ROOT).split(";", -1);
    return YAML_TYPES.contains(parts[0].strip()) && isUtf8(parts);
  }

  /** Returns whether a body is bytes of no other media type. */
  public static boolean isBinary(@Nullable String contentType) {
    return contentType != null && contentType.toLowerCase(Locale.ROOT).strip().equals(BINARY);
  }

  private static boolean isUtf8(String[] parts) {
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].strip();
      if (!parameter.startsWith("charset=")) continue;
      String charset = parameter.substring("charset=".length()).replace("\"", "");
      if (!charset.equals("utf-8") && !charset.equals("utf8") && !charset.equals("us-ascii")) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether a client accepts YAML explicitly, and not JSON before it. */
  public static boolean prefersYaml(String accept) {
    for (var range : accept.toLowerCase(Locale.ROOT).split(",", -1)) {
      var parts = range.split(";", -1);
      if (isExcluded(parts)) continue;
      if (YAML_TYPES.contains(parts[0].strip())) return true;
      if (parts[0].strip().equals(JSON)) return false;
    }
    return false;
  }

  /** Returns whether a client accepts HTML explicitly, as browsers do and programs do not. */
  public static boolean acceptsHtml(String accept) {
    return accepts(accept, "text/html");
  }

  /** Returns whether a response may be compressed. */
  public static boolean acceptsGzip(String acceptEncoding) {
    return accepts(acceptEncoding, "gzip");
  }

  private static boolean accepts(String ranges, String wanted) {
    for (var range : ranges.toLowerCase(Locale.ROOT).split(",", -1)) {
      var parts = range.split(";", -1);
      if (parts[0].strip().equals(wanted)) return !isExcluded(parts);
    }
    return false;
  }

  /** Returns whether a client accepts problem documents explicitly. */
  public static boolean acceptsProblem(@Nullable String accept) {
    if (accept == null || accept.equals("*/*")) return false;
    for (var range : accept.toLowerCase(Locale.ROOT).split(",", -1)) {
      var parts = range.split(";", -1);
      if (parts[0].strip().equals(ProblemDocument.MEDIA_TYPE)) return !isExcluded(parts);
    }
    return false;
  }

  private static boolean isExcluded(String[] parts) {
    for (int i = 1; i < parts.length; i++) {
      if (parts[i].strip().matches("q=0(\\.0{0,3})?")) return true;
    }
    return false;
  }

  private MediaTypes() {}
}
