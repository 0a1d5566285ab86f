package io.headgate.rule;

import io.headgate.internal.hash.KeyedHash;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a request, such as {@code user=42, path=/login}. Immutable.
 *
 * {@snippet file="io/headgate/LibraryExamplesTest.java" region="subject"}
 *
 * <p>Backed by an array: a subject is created for every check, and creating a map would take longer
 * than the check.
 */
public final class Subject {
  /** The name of the attribute for a bare key. */
  public static final String KEY = "key";

  /** The highest number of attributes. */
  public static final int MAX_ATTRIBUTES = 32;

  /** The highest number of characters in the name of an attribute. */
  public static final int MAX_NAME_LENGTH = 64;

  /** The highest number of characters in the value of an attribute. */
  public static final int MAX_VALUE_LENGTH = 1024;

  private final String[] pairs; // name, value, name, value …

  // Copies of the first pair, since most subjects have one; null if there is none.
  private final @Nullable String firstName;
  private final @Nullable String firstValue;

  private Subject(String[] pairs) {
    this.pairs = pairs;
    this.firstName = pairs.length == 0 ? null : pairs[0];
    this.firstValue = pairs.length == 0 ? null : pairs[1];
  }

  /** Creates a subject with one attribute, {@code key}. */
  public static Subject of(String key) {
    requireValue(KEY, key);
    return new Subject(new String[] {KEY, key});
  }

  /** Creates a subject with one attribute. */
  public static Subject of(String name, String value) {
    requireName(name);
    requireValue(name, value);
    return new Subject(new String[] {name, value});
  }

  /**
   * Creates a subject.
   *
   * @param attributes names and values, none of them empty
   * @throws IllegalArgumentException if there are too many attributes, or a name or value is empty
   *     or too long
   */
  public static Subject of(Map<String, String> attributes) {
    require(
        attributes.size() <= MAX_ATTRIBUTES,
        "a subject may have at most %d attributes, got %d",
        MAX_ATTRIBUTES,
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

  /**
   * Creates a subject from names and values in turn. Costs less than {@link #of(Map)}, for callers
   * that create a subject for every request.
   *
   * @param namesAndValues name, value, name, value …; copied
   * @throws IllegalArgumentException if a name is without a value or given twice, if there are too
   *     many attributes, or if a name or value is empty or too long
   */
  public static Subject ofPairs(String... namesAndValues) {
    int length = namesAndValues.length;
    require(length % 2 == 0, "the last of %d names and values is a name without a value", length);
    require(
        length <= 2 * MAX_ATTRIBUTES,
        "a subject may have at most %d attributes, got %d",
        MAX_ATTRIBUTES,
        length / 2);
    var pairs = namesAndValues.clone();
    for (int i = 0; i < length; i += 2) {
      requireName(pairs[i]);
      requireValue(pairs[i], pairs[i + 1]);
      for (int j = 0; j < i; j += 2) {
        require(!pairs[j].equals(pairs[i]), "attribute '%s' is given twice", truncated(pairs[i]));
      }
    }
    return new Subject(pairs);
  }

  /** Returns a subject with an attribute added or replaced. */
  public Subject with(String name, String value) {
    var attributes = new LinkedHashMap<>(attributes());
    attributes.put(name, value);
    return of(attributes);
  }

  /** Returns the value of an attribute. */
  public Optional<String> attribute(String name) {
    return Optional.ofNullable(find(name));
  }

  /**
   * Returns the value of an attribute in counter keys. An IP address has a canonical form, and an
   * IPv6 address is replaced by its /64 network.
   */
  public Optional<String> counterValue(String name) {
    String value = Counter.value(this, name);
    return value.isEmpty() ? Optional.empty() : Optional.of(value);
  }

  /** Returns the attributes by name. */
  public Map<String, String> attributes() {
    var map = new LinkedHashMap<String, String>();
    for (int i = 0; i < pairs.length; i += 2) map.put(pairs[i], pairs[i + 1]);
    return Collections.unmodifiableMap(map);
  }

  /**
   * Returns a hash of the values of some attributes, which can't be predicted without the key. Does
   * not depend on the order of the subject's attributes.
   *
   * @param names the attributes, of which the subject need not have all; empty for all it has
   */
  public long keyedHash(List<String> names, long key0, long key1) {
    if (!names.isEmpty()) return KeyedHash.of(Counter.valueOf(this, names), key0, key1);
    long sum = 0;
    for (int i = 0; i < pairs.length; i += 2) {
      long pair = KeyedHash.of(pairs[i], key0, key1) * 31 + KeyedHash.of(pairs[i + 1], key0, key1);
      sum += (pair ^ pair >>> 32) * 0x9E3779B97F4A7C15L;
    }
    return sum;
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

  /**
   * Returns the value of an attribute, or null.
   *
   * <p>Names are compared by identity first. Rules have interned names, and those of a subject
   * usually are too: literals of a program, or fields of a JSON parser.
   */
  @SuppressWarnings("ReferenceEquality")
  @Nullable String find(String name) {
    return name == firstName ? firstValue : findAmongAll(name);
  }

  @SuppressWarnings("ReferenceEquality")
  private @Nullable String findAmongAll(String name) {
    for (int i = 2; i < pairs.length; i += 2) {
      if (pairs[i] == name) return pairs[i + 1];
    }
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i].equals(name)) return pairs[i + 1];
    }
    return null;
  }

  private static void requireName(String name) {
    require(
        !name.isEmpty() && name.length() <= MAX_NAME_LENGTH,
        "an attribute's name must have 1 to %d characters, got %d: '%s'",
        MAX_NAME_LENGTH,
        name.length(),
        truncated(name));
  }

  private static void requireValue(String name, String value) {
    require(
        !value.isEmpty(),
        "attribute '%s' is empty; leave it out if the request has none",
        truncated(name));
    require(
        value.length() <= MAX_VALUE_LENGTH,
        "attribute '%s' may have at most %d characters, got %d; send a hash of it instead",
        truncated(name),
        MAX_VALUE_LENGTH,
        value.length());
  }

  private static void require(boolean ok, String message, Object... values) {
    if (!ok) throw new IllegalArgumentException(message.formatted(values));
  }

  private static String truncated(String text) {
    return text.length() <= 40 ? text : text.substring(0, 40) + "…";
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Subject subject && attributes().equals(subject.attributes());
  }

  /** A keyed hash, since callers choose values; independent of the order of the attributes. */
  @Override
  public int hashCode() {
    long sum = 0;
    for (int i = 0; i < pairs.length; i += 2) {
      // Not linear; otherwise subjects with swapped values would collide.
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
