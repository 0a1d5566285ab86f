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
 * A node, what it is called, and where to complain about it.
 *
 * <p>Whoever reads one gets either what was wanted, or nothing and a problem has been noted. {@code
 * wanted} completes the sentence "must be …".
 */
record FieldValue(SourceNode node, String path, ProblemCollector problems) {

  void problem(String message) {
    problems.add(node.at(), path, message);
  }

  /** Reads a text, number or boolean; the parser says what is wrong by IllegalArgumentException. */
  <T> Optional<T> read(String wanted, Function<String, T> parser) {
    return switch (node) {
      case Scalar scalar when !scalar.isNothing() -> attempt(() -> parser.apply(scalar.text()));
      case Scalar nothing -> refuse(wanted);
      case Items items -> refuse(wanted);
      case Fields fields -> refuse(wanted);
    };
  }

  /** What {@code made} gives, unless it throws IllegalArgumentException: that becomes a problem. */
  <T> Optional<T> attempt(Supplier<T> made) {
    try {
      return Optional.of(made.get());
    } catch (IllegalArgumentException e) {
      problem(DurationSyntax.asWritten(String.valueOf(e.getMessage())));
      return Optional.empty();
    }
  }

  Optional<MappingReader> section(String wanted) {
    return node instanceof Fields fields
        ? Optional.of(new MappingReader(this, fields))
        : refuse(wanted);
  }

  Optional<List<FieldValue>> items(String wanted) {
    if (!(node instanceof Items list)) return refuse(wanted);
    var values = new ArrayList<FieldValue>();
    for (var item : list.items()) {
      values.add(new FieldValue(item, path + "[" + values.size() + "]", problems));
    }
    return Optional.of(values);
  }

  /** The items of a list, or the value itself where a list of one needs no brackets. */
  Optional<List<FieldValue>> itemOrItems(String wanted) {
    return node instanceof Scalar ? Optional.of(List.of(this)) : items(wanted);
  }

  <T> Optional<T> refuse(String wanted) {
    boolean nothing = node instanceof Scalar scalar && scalar.isNothing();
    problem(
        nothing
            ? "has no value; must be " + wanted
            : "must be %s, got %s".formatted(wanted, shown()));
    return Optional.empty();
  }

  private String shown() {
    return node instanceof Scalar scalar ? Excerpt.of(scalar.text()) : node.kind();
  }
}
