package io.headgate.rulefile;

import io.headgate.rule.Pattern;
import java.util.List;
import java.util.Optional;

/**
 * A descriptor of envoyproxy/ratelimit's configuration, as it was written.
 *
 * @param value absent: any that no sibling with a value takes
 * @param mentions fields that decide nothing here, with where they are
 */
record EnvoyNode(
    String key,
    Optional<String> value,
    Optional<Limit> limit,
    boolean shadow,
    boolean shared,
    List<EnvoyNode> nested,
    List<Mention> mentions,
    SourcePosition at,
    String path) {

  /** The lengths of time that a limit can be given for. */
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
   * @param permits 0 lets nothing pass
   */
  record Limit(
      boolean unlimited, long permits, Unit unit, Optional<String> name, SourcePosition at) {}

  record Mention(String field, SourcePosition at) {}

  /** The whole of a file. */
  record Domain(String name, List<EnvoyNode> nested) {}

  boolean isWildcard() {
    return value.isPresent() && value.get().indexOf('*') >= 0;
  }

  /** What it matches where none of its siblings comes before it. */
  Pattern pattern() {
    if (value.isEmpty()) return Pattern.Glob.parse("*");
    String literal = value.get().replace("\\", "\\\\");
    return isWildcard() ? Pattern.Glob.parse(literal) : new Pattern.Exactly(value.get());
  }

  /**
   * Whether this one, and not its sibling, takes a value that both match.
   *
   * @param first whether it comes first in the file
   */
  boolean isBefore(EnvoyNode sibling, boolean first) {
    return rank() < sibling.rank() || (rank() == sibling.rank() && isWildcard() && first);
  }

  private int rank() {
    if (value.isEmpty()) return 2;
    return isWildcard() ? 1 : 0;
  }
}
