package io.headgate.testkit.net;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Request targets that servers may read in different ways: spellings of {@code /login}, {@code
 * /health} and {@code /api/x} with path parameters, encoded and doubly encoded characters, dot
 * segments, empty segments, backslashes, control characters and bytes that are not UTF-8.
 *
 * <p>The seed follows from a name and from the system property {@code headgate.test.seed}, as that
 * of properties does.
 */
public final class PathSpellings {
  /** Spellings that are known to differ between servers. */
  private static final List<String> KNOWN =
      List.of(
          "/login",
          "/health",
          "/api/x",
          "/api",
          "/",
          "/login/",
          "/LOGIN",
          "/login;%2f..%2fhealth",
          "/health;%2f..%2flogin",
          "/login;/../health",
          "/api/..;/health",
          "/api/../health",
          "/health/../login",
          "/api//../health",
          "//login",
          "/;/login",
          "/%6cogin",
          "/%256cogin",
          "/login%3bx",
          "/login%2f",
          "/api%2fx",
          "/api%2f..%2fhealth",
          "/api/%2e%2e/health",
          "/api/.%2e;x/health",
          "/api\\..\\health",
          "/api%5c..%5chealth",
          "/login%00",
          "/login%00/../health",
          "/login%20",
          "/login%0a",
          "/login#/../health",
          "/login?/../health",
          "http://example.com/login",
          "http://example.com/health;/../login");

  private static final List<String> WORDS = List.of("login", "health", "api", "x", "api/x");
  private static final List<String> SEPARATORS =
      List.of("/", "/", "/", "/", "//", "%2f", "%2F", "\\", "%5c", "/;/", ";/", "%252f", "/./");
  private static final List<String> DOTS =
      List.of(".", "..", "..", "%2e%2e", ".%2E", "..;", "..;x=1", "..%3b", "..%00", "%252e%252e");
  private static final List<String> SUFFIXES =
      List.of(
          "", "", "", ";", ";v=1", ";%2f", ";..", "%00", "%20", "%3b", ".", "%2e", "%0a", "%09");
  private static final List<String> ENDS =
      List.of(
          "",
          "",
          "",
          "/",
          "?q=/health",
          "#x",
          ";",
          "%2f",
          "/.",
          "/..",
          "%",
          "%zz",
          "%e9",
          "%c0%af");

  /**
   * Returns different targets: the known ones, and random ones up to the number.
   *
   * @param name distinguishes the tests of a release
   */
  public static List<String> of(String name, int count) {
    var random = new Random((System.getProperty("headgate.test.seed", "") + name).hashCode());
    var targets = new LinkedHashSet<>(KNOWN);
    while (targets.size() < count) targets.add(target(random));
    return new ArrayList<>(targets);
  }

  private static String target(Random random) {
    var target = new StringBuilder("/");
    int segments = 1 + random.nextInt(4);
    for (int i = 0; i < segments; i++) {
      if (i > 0) target.append(one(SEPARATORS, random));
      boolean dots = random.nextInt(3) == 0;
      target.append(dots ? one(DOTS, random) : word(random) + one(SUFFIXES, random));
    }
    return target.append(one(ENDS, random)).toString();
  }

  private static String word(Random random) {
    String word = one(WORDS, random);
    return switch (random.nextInt(8)) {
      case 0 -> word.toUpperCase(Locale.ROOT);
      case 1 -> "%%%02x%s".formatted((int) word.charAt(0), word.substring(1));
      default -> word;
    };
  }

  private static String one(List<String> all, Random random) {
    return all.get(random.nextInt(all.size()));
  }

  private PathSpellings() {}
}
