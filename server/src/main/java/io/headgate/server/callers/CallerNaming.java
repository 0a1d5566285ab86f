package io.headgate.server.callers;

import io.headgate.rule.Subject;
import java.util.List;

/**
 * Who, of all that a request says, is the caller: the first of some attributes that it has. One
 * caller keeps one name that way, whichever rule decides.
 *
 * @param attributes in the order in which they are looked for
 */
public record CallerNaming(List<String> attributes) {
  static final int MOST = 16;

  /** Names that say who, before those that say from where. */
  public static final List<String> USUAL =
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

  /** For requests that have none of them: they are counted together. */
  static final String NOBODY = "(unnamed)";

  public CallerNaming {
    if (attributes.isEmpty() || attributes.size() > MOST) {
      throw new IllegalArgumentException(
          "name 1 to %d attributes, got %d".formatted(MOST, attributes.size()));
    }
    for (var name : attributes) {
      if (name.isEmpty() || name.length() > Subject.LONGEST_NAME) {
        throw new IllegalArgumentException(
            "an attribute's name has 1 to %d characters, got '%s'"
                .formatted(Subject.LONGEST_NAME, name));
      }
    }
    attributes = List.copyOf(attributes);
  }

  /** The attribute that names the caller; empty if the subject has none of those. */
  public String attributeOf(Subject subject) {
    for (int i = 0; i < attributes.size(); i++) { // no iterator: this is done for every check
      if (subject.attribute(attributes.get(i)).isPresent()) return attributes.get(i);
    }
    return "";
  }

  /** A bare key is a name as it is; others say what they are the value of. */
  static String nameOf(String attribute, Subject subject) {
    if (attribute.isEmpty()) return NOBODY;
    String value = subject.counterValue(attribute).orElse("");
    return attribute.equals(Subject.KEY) ? value : attribute + "=" + value;
  }
}
