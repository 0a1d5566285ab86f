package io.headgate.rulefile;

import java.util.List;
import java.util.Set;

/** A piece of a text, as it was written: what it means is for its reader to say. */
sealed interface SourceNode {
  SourcePosition at();

  /** What to call it in a message. */
  String kind();

  /**
   * A text, number, boolean or nothing: all are texts until somebody wants one of them.
   *
   * @param plain written without quotes
   */
  record Scalar(String text, boolean plain, SourcePosition at) implements SourceNode {
    private static final Set<String> NOTHING = Set.of("", "~", "null", "Null", "NULL");

    boolean isNothing() {
      return plain && NOTHING.contains(text);
    }

    @Override
    public String kind() {
      return "a single value";
    }
  }

  record Items(List<SourceNode> items, SourcePosition at) implements SourceNode {
    @Override
    public String kind() {
      return "a list";
    }
  }

  /** Fields in their order; a name that is there twice is so here, too. */
  record Fields(List<Field> fields, SourcePosition at) implements SourceNode {
    @Override
    public String kind() {
      return "a map of fields";
    }
  }

  record Field(Scalar name, SourceNode value) {}
}
