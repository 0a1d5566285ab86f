package io.headgate.server.http.protocol;

import io.headgate.server.api.ProblemException;
import io.headgate.server.api.TextSyntax;
import java.util.OptionalLong;

/** Converts revisions to and from entity tags: revision 7 is {@code "7"}. */
public final class ETags {
  /** Returns the entity tag of a revision. */
  public static String of(long revision) {
    return "\"" + revision + "\"";
  }

  /**
   * Returns the revision that {@code If-Match} requires; empty for {@code *}.
   *
   * @throws ProblemException with status 400 if it is not the tag of a revision
   */
  public static OptionalLong expected(String ifMatch) {
    String text = ifMatch.strip();
    if (text.equals("*")) return OptionalLong.empty();
    var number = number(text);
    if (number.isPresent()) return number;
    throw ProblemException.badInput(
        "If-Match",
        "must be the ETag of a revision such as \"7\", in its quotes, or *, got '%s'"
            .formatted(TextSyntax.excerpt(text)));
  }

  /** Returns whether {@code If-None-Match} contains the revision. */
  public static boolean matches(String ifNoneMatch, long revision) {
    for (var tag : ifNoneMatch.split(",", -1)) {
      String text = tag.strip();
      if (text.equals("*")) return true;
      var number = number(text.startsWith("W/") ? text.substring(2) : text);
      if (number.isPresent() && number.getAsLong() == revision) return true;
    }
    return false;
  }

  private static OptionalLong number(String tag) {
    boolean quoted = tag.length() > 2 && tag.startsWith("\"") && tag.endsWith("\"");
    return quoted
        ? QueryString.parseNumber(tag.substring(1, tag.length() - 1))
        : OptionalLong.empty();
  }

  private ETags() {}
}
