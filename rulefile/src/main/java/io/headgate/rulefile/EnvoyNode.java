package io.headgate.rulefile;

import io.headgate.rule.Pattern;
import java.util.List;
import java.util.Optional;

/**
 * A descriptor of envoyproxy/ratelimit's configuration, as written in the file.
 *
 * @param value if absent, the descriptor matches every value that no sibling matches
 * @param shared whether all values that match a wildcard share one counter
 * @param unsupported the fields that rules do not support, with their positions
 */
record EnvoyNode(
    String key,
    Optional<String> value,
    Optional<Limit> limit,
    boolean shadow,
    boolean shared,
    List<EnvoyNode> nested,
    List<UnsupportedField> unsupported,
    SourcePosition at,
    String path) {

  /** The periods of a limit. */
  enum Unit {
    SECOND,
    MINUTE,
    HOUR,
    DAY,
    WEEK,
    MONTH,
    YEAR
  }

  /**
   * The limit of a descriptor.
   *
   * @param permits the number of requests per unit; 0 denies all
   */
  record Limit(
      boolean unlimited, long permits, Unit unit, Optional<String> name, SourcePosition at) {}

  /** A field that rules do not support. The import reports it in a note. */
  record UnsupportedField(String field, SourcePosition at) {}

  /** The content of a file. */
  record Domain(String name, List<EnvoyNode> nested) {}

  boolean isWildcard() {
    return value.isPresent() && value.get().indexOf('*') >= 0;
  }

  /** Returns the pattern for the values that it matches, siblings aside. */
  Pattern pattern() {
    if (value.isEmpty()) return Pattern.Glob.parse("*");
    String literal = value.get().replace("\\", "\\\\");
    return isWildcard() ? Pattern.Glob.parse(literal) : new Pattern.Exactly(value.get());
  }

  /**
   * Returns whether this descriptor has precedence over a sibling for a value that both match.
   *
   * @param first whether this one is first in the file
   */
  boolean isBefore(EnvoyNode sibling, boolean first) {
    return rank() < sibling.rank() || (rank() == sibling.rank() && isWildcard() && first);
  }

  private int rank() {
    if (value.isEmpty()) return 2;
    return isWildcard() ? 1 : 0;
  }
}
