package io.headgate.server.callers;

import io.headgate.rule.Pattern;
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

  /** Names callers by {@link #DEFAULT_ATTRIBUTES}. */
  public static final CallerNaming DEFAULT = new CallerNaming(DEFAULT_ATTRIBUTES);

  /** The common name of requests without any of the attributes; it names the option to set. */
  static final String UNNAMED = "(unnamed: see --caller-attributes)";

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

  /**
   * Returns the caller's name, or the text of the whole subject if it has none of the attributes,
   * so that such callers are told apart.
   */
  public String nameOrText(Subject subject) {
    String attribute = attributeOf(subject);
    return attribute.isEmpty() ? subject.toString() : nameOf(attribute, subject);
  }

  /**
   * Returns a hash that is equal for callers that {@link #nameOrText} names equally. Does not
   * create the name, and allocates nothing unless an IPv6 address names the caller.
   */
  public int hashOf(Subject subject) {
    for (int i = 0; i < attributes.size(); i++) { // no iterator, since this runs for every check
      String attribute = attributes.get(i);
      var value = subject.attribute(attribute);
      if (value.isEmpty()) continue;
      boolean isIpv6 = attribute.equals(Pattern.Cidr.ATTRIBUTE) && value.get().indexOf(':') >= 0;
      var counted = isIpv6 ? subject.counterValue(attribute) : value;
      return 31 * counted.orElse("").hashCode() + i;
    }
    return subject.hashCode();
  }
}
