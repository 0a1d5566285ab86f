package io.headgate.rulefile;

import io.headgate.rulefile.SourceNode.Fields;
import io.headgate.rulefile.SourceNode.Items;
import io.headgate.rulefile.SourceNode.Scalar;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A node with its path and the collector for its problems.
 *
 * <p>Each read method returns either a value, or empty after adding a problem. The parameter {@code
 * wanted} describes the expected value and completes the sentence "must be …".
 */
record FieldValue(SourceNode node, String path, ProblemCollector problems) {

  /** Returns the same value with a collector of its own, for a value that is read elsewhere. */
  FieldValue withoutProblems() {
    return new FieldValue(node, path, new ProblemCollector());
  }

  /** Adds a problem at this node's position. */
  void problem(String message) {
    problems.add(node.at(), path, message);
  }

  /**
   * Reads a text, number or boolean.
   *
   * @param parser throws IllegalArgumentException for an invalid value; its message becomes the
   *     problem
   */
  <T> Optional<T> read(String wanted, Function<String, T> parser) {
    return switch (node) {
      case Scalar scalar when !scalar.isNull() -> attempt(() -> parser.apply(scalar.text()));
      case Scalar empty -> reject(wanted);
      case Items items -> reject(wanted);
      case Fields fields -> reject(wanted);
    };
  }

  /** Calls the supplier; turns an IllegalArgumentException into a problem. */
  <T> Optional<T> attempt(Supplier<T> supplier) {
    try {
      return Optional.of(supplier.get());
    } catch (IllegalArgumentException e) {
      problem(DurationSyntax.asWritten(String.valueOf(e.getMessage())));
      return Optional.empty();
    }
  }

  /** Reads a map of fields. */
  Optional<MappingReader> section(String wanted) {
    return node instanceof Fields fields
        ? Optional.of(new MappingReader(this, fields))
        : reject(wanted);
  }

  /** Reads a list. */
  Optional<List<FieldValue>> items(String wanted) {
    if (!(node instanceof Items list)) return reject(wanted);
    var values = new ArrayList<FieldValue>();
    for (var item : list.items()) {
      values.add(new FieldValue(item, path + "[" + values.size() + "]", problems));
    }
    return Optional.of(values);
  }

  /** Reads a list, or a single value as a list of one. */
  Optional<List<FieldValue>> itemOrItems(String wanted) {
    return node instanceof Scalar ? Optional.of(List.of(this)) : items(wanted);
  }

  /** Adds the problem that the node is not {@code wanted}; returns empty. */
  <T> Optional<T> reject(String wanted) {
    boolean isNull = node instanceof Scalar scalar && scalar.isNull();
    problem(
        isNull
            ? "has no value; must be " + wanted
            : "must be %s, got %s".formatted(wanted, shown()));
    return Optional.empty();
  }

  private String shown() {
    return node instanceof Scalar scalar ? Excerpt.of(scalar.text()) : node.kind();
  }
}
