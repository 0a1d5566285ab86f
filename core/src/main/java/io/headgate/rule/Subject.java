package io.headgate.rule;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who asks, and for what: the attributes of a request, such as {@code user=42, path=/login}.
 *
 * <p>A class over an array, since one is made for every check: a map would cost more than the
 * check.
 */
public final class Subject {
  /** The attribute that a bare key is kept under. */
  public static final String KEY = "key";

  public static final int MOST_ATTRIBUTES = 32;
  public static final int LONGEST_NAME = 64;
  public static final int LONGEST_VALUE = 1024;

  private final String[] pairs; // name, value, name, value …

  private Subject(String[] pairs) {
    this.pairs = pairs;
  }

  /** A subject of one attribute, {@code key}. */
  public static Subject of(String key) {
    requireValue(KEY, key);
    return new Subject(new String[] {KEY, key});
  }

  public static Subject of(String name, String value) {
    requireName(name);
    requireValue(name, value);
    return new Subject(new String[] {name, value});
  }

  public static Subject of(Map<String, String> attributes) {
    require(
        attributes.size() <= MOST_ATTRIBUTES,
        "a subject may have at most %d attributes, got %d",
        MOST_ATTRIBUTES,
        attributes.size());
    var pairs = new String[attributes.size() * 2];
    int i = 0;
    for (var attribute : attributes.entrySet()) {
      requireName(attribute.getKey());
      requireValue(attribute.getKey(), attribute.getValue());
      pairs[i++] = attribute.getKey();
      pairs[i++] = attribute.getValue();
    }
    return new Subject(pairs);
  }

  /** The same subject with one attribute more, or another value for it. */
  public Subject with(String name, String value) {
    var attributes = new LinkedHashMap<>(attributes());
    attributes.put(name, value);
    return of(attributes);
  }

  public Optional<String> attribute(String name) {
    return Optional.ofNullable(find(name));
  }

  /**
   * The value that a counter per this attribute is kept under: an IP address has one form however
   * it is written, and an IPv6 one stands for its /64.
   */
  public Optional<String> counterValue(String name) {
    String value = Counter.value(this, name);
    return value.isEmpty() ? Optional.empty() : Optional.of(value);
  }

  public Map<String, String> attributes() {
    var map = new LinkedHashMap<String, String>();
    for (int i = 0; i < pairs.length; i += 2) map.put(pairs[i], pairs[i + 1]);
    return Collections.unmodifiableMap(map);
  }

  int size() {
    return pairs.length / 2;
  }

  String name(int index) {
    return pairs[index * 2];
  }

  String value(int index) {
    return pairs[index * 2 + 1];
  }

  @Nullable String find(String name) {
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i].equals(name)) return pairs[i + 1];
    }
    return null;
  }

  private static void requireName(String name) {
    require(
        !name.isEmpty() && name.length() <= LONGEST_NAME,
        "an attribute's name must have 1 to %d characters, got %d: '%s'",
        LONGEST_NAME,
        name.length(),
        shortened(name));
  }

  private static void requireValue(String name, String value) {
    require(
        !value.isEmpty(),
        "attribute '%s' is empty; leave it out if the request has none",
        shortened(name));
    require(
        value.length() <= LONGEST_VALUE,
        "attribute '%s' may have at most %d characters, got %d; send a hash of it instead",
        shortened(name),
        LONGEST_VALUE,
        value.length());
  }

  private static void require(boolean ok, String message, Object... values) {
    if (!ok) throw new IllegalArgumentException(message.formatted(values));
  }

  private static String shortened(String text) {
    return text.length() <= 40 ? text : text.substring(0, 40) + "…";
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Subject subject && attributes().equals(subject.attributes());
  }

  /** Keyed, because callers choose values; the same in any order of the attributes. */
  @Override
  public int hashCode() {
    long sum = 0;
    for (int i = 0; i < pairs.length; i += 2) {
      // Not linear, or values that change places among attributes would collide.
      long pair = KeyedHash.of(pairs[i]) * 31 + KeyedHash.of(pairs[i + 1]);
      sum += (pair ^ pair >>> 32) * 0x9E3779B97F4A7C15L;
    }
    return (int) (sum ^ sum >>> 32);
  }

  @Override
  public String toString() {
    return pairs.length == 2 && pairs[0].equals(KEY) ? pairs[1] : attributes().toString();
  }
}
