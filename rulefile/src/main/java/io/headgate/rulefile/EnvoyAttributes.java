package io.headgate.rulefile;

import java.util.ArrayList;
import java.util.List;

/**
 * How a descriptor of Envoy's looks to rules: its entries are attributes, beside {@link #DOMAIN}
 * and {@link #KEYS}.
 */
public final class EnvoyAttributes {
  public static final String DOMAIN = "domain";

  /**
   * The keys of the entries in their order, such as {@code path,remote_address}: by it a rule can
   * ask for exactly these entries, which no number of conditions on them can.
   */
  public static final String KEYS = "descriptor";

  /** What stands for a value of no characters, which no attribute can have. */
  public static final String EMPTY = "(empty)";

  /**
   * The attributes that entries of these keys are kept under. A name that is taken gets a number:
   * of two entries {@code a} the second is {@code a#2}.
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

  /** What {@link #KEYS} says of entries with these keys. */
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
