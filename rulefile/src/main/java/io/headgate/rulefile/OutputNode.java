package io.headgate.rulefile;

import java.util.List;
import java.util.Map;

/** A tree of values to print as YAML or JSON. */
sealed interface OutputNode {
  /** A text, quoted where the format requires it. */
  record Text(String text) implements OutputNode {}

  /** A number or boolean, printed as it is. */
  record Literal(String text) implements OutputNode {}

  /** A list. */
  record Items(List<? extends OutputNode> items) implements OutputNode {}

  /**
   * A map.
   *
   * @param fields in the order in which they are printed
   */
  record Fields(Map<String, OutputNode> fields) implements OutputNode {}
}
