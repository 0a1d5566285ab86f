package io.headgate.server.http.protocol;

import io.headgate.server.api.ProblemException;
import io.headgate.server.api.TextSyntax;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The parameters behind the question mark. One that is not known is refused: a misspelled dry run
 * would be none.
 */
public final class QueryString {
  private final Map<String, String> values = new HashMap<>();

  public static QueryString of(@Nullable String text, Set<String> known) {
    var query = new QueryString();
    if (text == null || text.isEmpty()) return query;
    for (var pair : text.split("&", -1)) {
      if (pair.isEmpty()) continue;
      int sign = pair.indexOf('=');
      String name = sign < 0 ? pair : pair.substring(0, sign);
      if (!known.contains(name)) {
        throw ProblemException.badInput(
            TextSyntax.shown(name),
            "is no parameter here; there are " + String.join(", ", new TreeSet<>(known)));
      }
      String value = sign < 0 ? "" : pair.substring(sign + 1).replace('+', ' ');
      if (query.values.put(name, PercentDecoder.decode(name, value)) != null) {
        throw ProblemException.badInput(name, "is given twice; give it once");
      }
    }
    return query;
  }

  public Optional<String> text(String name) {
    return Optional.ofNullable(values.get(name));
  }

  public boolean truth(String name) {
    var given = text(name);
    if (given.isEmpty() || given.get().equals("false")) return false;
    if (given.get().equals("true")) return true;
    throw ProblemException.badInput(
        name, "must be true or false, got '%s'".formatted(TextSyntax.shown(given.get())));
  }

  public OptionalLong whole(String name, long least, long most) {
    var given = text(name);
    if (given.isEmpty()) return OptionalLong.empty();
    var number = number(given.get());
    if (number.isPresent() && number.getAsLong() >= least && number.getAsLong() <= most)
      return number;
    throw ProblemException.badInput(
        name,
        "must be a whole number, %d to %d, got '%s'"
            .formatted(least, most, TextSyntax.shown(given.get())));
  }

  /** A number without sign, of which there is one way to write it. */
  public static OptionalLong number(String text) {
    boolean ok = text.matches("0|[1-9][0-9]{0,17}");
    return ok ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
  }
}
