package io.headgate.rulefile;

import java.util.ArrayList;
import java.util.List;

/**
 * Maps the descriptors of Envoy's rate limit service to the attributes of a subject. Each entry
 * becomes an attribute; {@link #DOMAIN} and {@link #KEYS} are added.
 */
public final class EnvoyAttributes {
  /** The attribute that holds the request's domain. */
  public static final String DOMAIN = "domain";

  /**
   * The attribute that holds the keys of the entries in their order, such as {@code
   * path,remote_address}. A rule that matches it applies to descriptors of exactly these entries;
   * conditions on single entries cannot express that.
   */
  public static final String KEYS = "descriptor";

  /** Replaces an empty value, since an attribute cannot be empty. */
  public static final String EMPTY = "(empty)";

  /**
   * Returns the attribute names for entries with these keys, in the same order. A name already in
   * use gets a number: of two entries {@code a} the second is {@code a#2}.
   */
  public static List<String> names(List<String> keys) {
    var names = new ArrayList<String>(keys.size());
    for (var key : keys) {
      String name = key;
      for (int n = 2; name.equals(DOMAIN) || name.equals(KEYS) || names.contains(name); n++) {
        name = key + "#" + n;
      }
      names.add(name);
    }
    return names;
  }

  /**
   * Returns the value of {@link #KEYS} for entries with these keys. Commas and backslashes in keys
   * are escaped.
   */
  public static String joined(List<String> keys) {
    var text = new StringBuilder();
    for (int i = 0; i < keys.size(); i++) {
      if (i > 0) text.append(',');
      String key = keys.get(i);
      boolean plain = key.indexOf(',') < 0 && key.indexOf('\\') < 0;
      text.append(plain ? key : key.replace("\\", "\\\\").replace(",", "\\,"));
    }
    return text.toString();
  }

  private EnvoyAttributes() {}
}
