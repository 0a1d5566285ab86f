package io.headgate.rulefile;

import java.util.List;
import java.util.Map;

/** What is to be written, before it is YAML or JSON. */
sealed interface OutputNode {
  record Text(String text) implements OutputNode {}

  /** A number or boolean: the same in both. */
  record Literal(String text) implements OutputNode {}

  record Items(List<? extends OutputNode> items) implements OutputNode {}

  /**
   * @param fields in the order in which they are written
   */
  record Fields(Map<String, OutputNode> fields) implements OutputNode {}
}
