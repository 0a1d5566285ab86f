package io.headgate.server.callers;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Replaces the names of callers by a shortened form: the first two and the last two characters and
 * a keyed hash (HMAC-SHA256), as in {@code us…11#a1b2c3}. Values of less than {@value #MIN_SHOWN}
 * characters are replaced by the hash alone. Equal names have equal masks on all instances with the
 * same key. Immutable and thread-safe.
 */
public final class CallerMask {
  /** Replaces nothing. */
  public static final CallerMask NONE = new CallerMask(Optional.empty(), List.of());

  static final int MIN_SHOWN = 8;

  private static final String HMAC = "HmacSHA256";
  private static final int SHOWN = 2; // characters at either end
  private static final int HASH_BYTES = 3;

  private final Optional<SecretKeySpec> key;
  private final List<String> attributes;

  private CallerMask(Optional<SecretKeySpec> key, List<String> attributes) {
    this.key = key;
    this.attributes = attributes;
  }

  /**
   * Creates a mask.
   *
   * @param key a secret
   * @param attributes the attributes that name a caller; they stay legible in {@code user=…}
   */
  public static CallerMask of(byte[] key, List<String> attributes) {
    return new CallerMask(Optional.of(new SecretKeySpec(key, HMAC)), List.copyOf(attributes));
  }

  /** Returns whether this mask replaces anything. */
  public boolean isActive() {
    return key.isPresent();
  }

  /** Returns the shown form of a caller's name. */
  public String name(String caller) {
    if (!isActive() || caller.equals(CallerNaming.UNNAMED)) return caller;
    int sign = caller.indexOf('=');
    boolean named = sign > 0 && attributes.contains(caller.substring(0, sign));
    return named
        ? caller.substring(0, sign + 1) + value(caller.substring(sign + 1))
        : value(caller);
  }

  /** Returns the shown form of the value of an attribute. */
  public String value(String value) {
    return key.map(secret -> masked(value, secret)).orElse(value);
  }

  /** Returns the attributes with the shown form of each value. */
  public Map<String, String> subject(Map<String, String> subject) {
    if (!isActive()) return subject;
    var shown = new LinkedHashMap<String, String>();
    subject.forEach((attribute, value) -> shown.put(attribute, value(value)));
    return shown;
  }

  private static String masked(String value, SecretKeySpec key) {
    int length = value.codePointCount(0, value.length());
    boolean shows = length >= MIN_SHOWN;
    String begin = shows ? value.substring(0, value.offsetByCodePoints(0, SHOWN)) : "";
    String end = shows ? value.substring(value.offsetByCodePoints(value.length(), -SHOWN)) : "";
    return begin + "…" + end + "#" + hash(value, key);
  }

  private static String hash(String value, SecretKeySpec key) {
    try {
      var mac = Mac.getInstance(HMAC);
      mac.init(key);
      byte[] hash = mac.doFinal(value.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, HASH_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HMAC-SHA256", e);
    }
  }
}
