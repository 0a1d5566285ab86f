package io.headgate.server.http.protocol;

import io.headgate.server.api.ProblemDocument;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The little of content negotiation that is needed. */
public final class MediaTypes {
  public static final String JSON = "application/json";
  public static final String YAML = "application/yaml";

  private static final Set<String> YAML_TYPES =
      Set.of(YAML, "application/x-yaml", "text/yaml", "text/x-yaml");

  /** JSON under any of its names, in UTF-8; what says nothing is taken for it. */
  public static boolean isJson(@Nullable String contentType) {
    if (contentType == null || contentType.equals(JSON)) return true;
    var parts = contentType.toLowerCase(Locale.ROOT).split(";", -1);
    String type = parts[0].strip();
    if (!type.equals(JSON) && !(type.startsWith("application/") && type.endsWith("+json"))) {
      return false;
    }
    return isUtf8(parts);
  }

  /** YAML under any of its names, in UTF-8. */
  public static boolean isYaml(@Nullable String contentType) {
    if (contentType == null) return false;
    var parts = contentType.toLowerCase(Locale.ROOT).split(";", -1);
    return YAML_TYPES.contains(parts[0].strip()) && isUtf8(parts);
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

  /** Whether a client asks for YAML by name, and not for JSON before it. */
  public static boolean prefersYaml(String accept) {
    for (var range : accept.toLowerCase(Locale.ROOT).split(",", -1)) {
      var parts = range.split(";", -1);
      if (isRefused(parts)) continue;
      if (YAML_TYPES.contains(parts[0].strip())) return true;
      if (parts[0].strip().equals(JSON)) return false;
    }
    return false;
  }

  /** Whether a client names pages among what it accepts, as browsers do and programs do not. */
  public static boolean namesHtml(String accept) {
    return names(accept, "text/html");
  }

  /** Whether what is sent may be compressed. */
  public static boolean takesGzip(String acceptEncoding) {
    return names(acceptEncoding, "gzip");
  }

  private static boolean names(String ranges, String wanted) {
    for (var range : ranges.toLowerCase(Locale.ROOT).split(",", -1)) {
      var parts = range.split(";", -1);
      if (parts[0].strip().equals(wanted)) return !isRefused(parts);
    }
    return false;
  }

  /** Whether a client names problem documents among what it accepts. */
  public static boolean acceptsProblem(@Nullable String accept) {
    if (accept == null || accept.equals("*/*")) return false;
    for (var range : accept.toLowerCase(Locale.ROOT).split(",", -1)) {
      var parts = range.split(";", -1);
      if (parts[0].strip().equals(ProblemDocument.MEDIA_TYPE)) return !isRefused(parts);
    }
    return false;
  }

  private static boolean isRefused(String[] parts) {
    for (int i = 1; i < parts.length; i++) {
      if (parts[i].strip().matches("q=0(\\.0{0,3})?")) return true;
    }
    return false;
  }

  private MediaTypes() {}
}
