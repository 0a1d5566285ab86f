package io.headgate.server.http.protocol;

import io.headgate.http.TextSyntax;
import io.headgate.server.api.ProblemException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request. An unknown parameter is an error: a misspelled {@code dry-run} must
 * not apply a change.
 */
public final class QueryString {
  private final Map<String, String> values = new HashMap<>();

  /**
   * Parses a query string.
   *
   * @param known the parameters that the endpoint accepts
   * @throws ProblemException with status 400 for unknown, repeated or malformed parameters
   */
  public static QueryString of(@Nullable String text, Set<String> known) {
    var query = new QueryString();
    if (text == null || text.isEmpty()) return query;
    for (var pair : text.split("&", -1)) {
      if (pair.isEmpty()) continue;
      int sign = pair.indexOf('=');
      String name = sign < 0 ? pair : pair.substring(0, sign);
      if (!known.contains(name)) {
        throw ProblemException.badInput(
            TextSyntax.excerpt(name),
            "is not a parameter of this endpoint; allowed: "
                + String.join(", ", new TreeSet<>(known)));
      }
      String value = sign < 0 ? "" : pair.substring(sign + 1).replace('+', ' ');
      if (query.values.put(name, PercentDecoder.decode(name, value)) != null) {
        throw ProblemException.badInput(name, "is given twice; give it once");
      }
    }
    return query;
  }

  /** Returns the value of a parameter. */
  public Optional<String> text(String name) {
    return Optional.ofNullable(values.get(name));
  }

  /** Returns a boolean parameter; false if it is absent. */
  public boolean flag(String name) {
    var given = text(name);
    if (given.isEmpty() || given.get().equals("false")) return false;
    if (given.get().equals("true")) return true;
    throw ProblemException.badInput(
        name, "must be true or false, got '%s'".formatted(TextSyntax.excerpt(given.get())));
  }

  /** Returns an integer parameter within the bounds. */
  public OptionalLong wholeNumber(String name, long min, long max) {
    var given = text(name);
    if (given.isEmpty()) return OptionalLong.empty();
    var number = parseNumber(given.get());
    if (number.isPresent() && number.getAsLong() >= min && number.getAsLong() <= max) return number;
    throw ProblemException.badInput(
        name,
        "must be a whole number, %d to %d, got '%s'"
            .formatted(min, max, TextSyntax.excerpt(given.get())));
  }

  /** Parses an integer without sign and leading zeros; empty if the text is not one. */
  public static OptionalLong parseNumber(String text) {
    boolean ok = text.matches("0|[1-9][0-9]{0,17}");
    return ok ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
  }
}
