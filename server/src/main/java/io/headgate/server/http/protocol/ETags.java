package io.headgate.server.http.protocol;

import io.headgate.http.TextSyntax;
import io.headgate.server.api.ProblemException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Converts revisions to and from entity tags (RFC 9110, section 8.8.3): revision 7 is {@code "7"}.
 */
public final class ETags {
  private static final String ANY = "*";

  /** One member of a list, up to the next comma. Members may be empty. */
  private static final Pattern MEMBER =
      Pattern.compile("[ \\t]*(?:(W/)?\"([\\x21\\x23-\\x7E\\x80-\\xFF]*)\")?[ \\t]*(?:,|$)");

  /** A condition of {@code If-Match}. */
  public sealed interface IfMatch {}

  /** The header is absent. */
  public record Unconditional() implements IfMatch {}

  /** {@code *}: the resource must exist. */
  public record Exists() implements IfMatch {}

  /**
   * A list of tags, one of which must be that of the current revision.
   *
   * @param revisions the revisions of the strong tags; weak tags and those of no revision never
   *     match
   */
  public record Revisions(Set<Long> revisions) implements IfMatch {}

  private record Tag(boolean weak, String text) {}

  /** Returns the entity tag of a revision. */
  public static String of(long revision) {
    return "\"" + revision + "\"";
  }

  /**
   * Parses {@code If-Match}, which compares strongly.
   *
   * @param lines all lines of the header
   * @throws ProblemException with status 400 if it is neither {@code *} nor a list of entity tags
   */
  public static IfMatch ifMatch(List<String> lines) {
    if (lines.isEmpty()) return new Unconditional();
    String text = String.join(",", lines).strip();
    if (text.equals(ANY)) return new Exists();
    var tags =
        tags(text)
            .filter(list -> !list.isEmpty())
            .orElseThrow(() ->
                ProblemException.badInput(
                    "If-Match",
                    "must be the ETag of a revision such as \"7\", in its quotes, or *, got '%s'"
                        .formatted(TextSyntax.excerpt(text))));
    var revisions = new HashSet<Long>();
    for (var tag : tags) {
      if (!tag.weak) QueryString.parseNumber(tag.text).ifPresent(revisions::add);
    }
    return new Revisions(revisions);
  }

  /**
   * Returns whether {@code If-None-Match}, which compares weakly, contains the revision. A
   * malformed header contains none.
   *
   * @param lines all lines of the header
   */
  public static boolean matches(List<String> lines, long revision) {
    String text = String.join(",", lines).strip();
    if (text.equals(ANY)) return true;
    String current = Long.toString(revision);
    return tags(text).orElse(List.of()).stream().anyMatch(tag -> tag.text.equals(current));
  }

  /** Parses a list of tags; empty if it is malformed. */
  private static Optional<List<Tag>> tags(String list) {
    var tags = new ArrayList<Tag>();
    var member = MEMBER.matcher(list);
    int at = 0;
    while (at < list.length()) {
      if (!member.region(at, list.length()).lookingAt()) return Optional.empty();
      if (member.group(2) != null) tags.add(new Tag(member.group(1) != null, member.group(2)));
      at = member.end();
    }
    return Optional.of(tags);
  }

  private ETags() {}
}
