package io.headgate.rulefile;

import java.util.List;
import java.util.Set;

/** A piece of a text, as it was written: what it means is for its reader to say. */
sealed interface Node {
  Place at();

  /** What to call it in a message. */
  String kind();

  /**
   * A text, number, boolean or nothing: all are texts until somebody wants one of them.
   *
   * @param plain written without quotes
   */
  record Scalar(String text, boolean plain, Place at) implements Node {
    private static final Set<String> NOTHING = Set.of("", "~", "null", "Null", "NULL");

    boolean isNothing() {
      return plain && NOTHING.contains(text);
    }

    @Override
    public String kind() {
      return "a single value";
    }
  }

  record Items(List<Node> items, Place at) implements Node {
    @Override
    public String kind() {
      return "a list";
    }
  }

  /** Fields in their order; a name that is there twice is so here, too. */
  record Fields(List<Field> fields, Place at) implements Node {
    @Override
    public String kind() {
      return "a map of fields";
    }
  }

  record Field(Scalar name, Node value) {}
}
