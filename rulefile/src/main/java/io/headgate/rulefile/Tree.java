package io.headgate.rulefile;

import java.util.List;
import java.util.Map;

/** What is to be written, before it is YAML or JSON. */
sealed interface Tree {
  record Text(String text) implements Tree {}

  /** A number or boolean: the same in both. */
  record Literal(String text) implements Tree {}

  record Items(List<? extends Tree> items) implements Tree {}

  /**
   * @param fields in the order in which they are written
   */
  record Fields(Map<String, Tree> fields) implements Tree {}
}
