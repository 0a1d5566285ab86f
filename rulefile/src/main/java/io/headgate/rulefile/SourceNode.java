package io.headgate.rulefile;

import java.util.List;
import java.util.Set;

/** A node of a parsed text with its position. Scalars are not yet converted to values. */
sealed interface SourceNode {
  /** Returns the position of the node's first character. */
  SourcePosition at();

  /** Returns the kind of node, as messages name it. */
  String kind();

  /**
   * A text, number, boolean or null. The reader of the field converts it.
   *
   * @param plain whether it is written without quotes
   */
  record Scalar(String text, boolean plain, SourcePosition at) implements SourceNode {
    private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");

    /** Returns whether it is YAML's null or empty. */
    boolean isNull() {
      return plain && NULLS.contains(text);
    }

    @Override
    public String kind() {
      return "a single value";
    }
  }

  /** A list. */
  record Items(List<SourceNode> items, SourcePosition at) implements SourceNode {
    @Override
    public String kind() {
      return "a list";
    }
  }

  /** A map: its fields in the order of the text, with duplicate names. */
  record Fields(List<Field> fields, SourcePosition at) implements SourceNode {
    @Override
    public String kind() {
      return "a map of fields";
    }
  }

  /** One field of a map. */
  record Field(Scalar name, SourceNode value) {}
}
