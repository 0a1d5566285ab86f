package io.headgate.server.callers;

import io.headgate.rule.Subject;
import java.util.List;

/**
 * Determines the name of a caller: the first of a list of attributes that the request has. A caller
 * thus has one name, whichever rule decides.
 *
 * @param attributes in order of preference
 */
public record CallerNaming(List<String> attributes) {
  static final int MAX_ATTRIBUTES = 16;

  /** The default attributes: identities before addresses. */
  public static final List<String> DEFAULT_ATTRIBUTES =
      List.of(
          Subject.KEY,
          "user",
          "client",
          "api-key",
          "account",
          "tenant",
          "ip",
          "remote_address",
          "remote-address");

  /** The common name of requests without any of the attributes. */
  static final String UNNAMED = "(unnamed)";

  public CallerNaming {
    if (attributes.isEmpty() || attributes.size() > MAX_ATTRIBUTES) {
      throw new IllegalArgumentException(
          "there must be 1 to %d attributes, got %d".formatted(MAX_ATTRIBUTES, attributes.size()));
    }
    for (var name : attributes) {
      if (name.isEmpty() || name.length() > Subject.MAX_NAME_LENGTH) {
        throw new IllegalArgumentException(
            "an attribute name must have 1 to %d characters, got '%s'"
                .formatted(Subject.MAX_NAME_LENGTH, name));
      }
    }
    attributes = List.copyOf(attributes);
  }

  /**
   * Returns the attribute that names the caller, or an empty string if the subject has none of
   * them.
   */
  public String attributeOf(Subject subject) {
    for (int i = 0; i < attributes.size(); i++) { // no iterator, since this runs for every check
      if (subject.attribute(attributes.get(i)).isPresent()) return attributes.get(i);
    }
    return "";
  }

  /** Returns the caller's name: the value of a bare key, or {@code attribute=value}. */
  static String nameOf(String attribute, Subject subject) {
    if (attribute.isEmpty()) return UNNAMED;
    String value = subject.counterValue(attribute).orElse("");
    return attribute.equals(Subject.KEY) ? value : attribute + "=" + value;
  }
}
