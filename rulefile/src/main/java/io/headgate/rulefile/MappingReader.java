package io.headgate.rulefile;

import io.headgate.rulefile.SourceNode.Field;
import io.headgate.rulefile.SourceNode.Fields;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Reads the fields of a map. Duplicate names are reported; the first one counts.
 *
 * <p>A map may inherit fields of another, which {@link #has} and {@link #find} include.
 */
final class MappingReader {
  /** The digits after the comma of a number such as 1,000/1d, which is not quoted. */
  private static final Pattern REST_OF_A_NUMBER = Pattern.compile("[0-9]{3}(?:\\D.*)?");

  private final FieldValue self;
  private final Map<String, Field> fields = new LinkedHashMap<>();
  private final Map<String, FieldValue> inherited = new LinkedHashMap<>();
  private final Set<String> suggested = new HashSet<>();

  MappingReader(FieldValue self, Fields node) {
    this.self = self;
    for (var field : node.fields()) {
      var earlier = fields.putIfAbsent(field.name().text(), field);
      if (earlier != null) {
        problem(
            field,
            "is given twice, first on line %d; remove one".formatted(earlier.name().at().line()));
      }
    }
  }

  FieldValue self() {
    return self;
  }

  Collection<String> names() {
    return fields.keySet();
  }

  boolean has(String name) {
    return hasOwn(name) || inherited.containsKey(name);
  }

  /** Returns whether the map itself has a field. */
  boolean hasOwn(String name) {
    return fields.containsKey(name);
  }

  /** Adds the fields of another map that this one does not have and that the filter accepts. */
  void inherit(MappingReader other, Predicate<String> filter) {
    other.fields.forEach((name, field) -> {
      if (hasOwn(name) || !filter.test(name)) return;
      inherited.put(name, new FieldValue(field.value(), path(name), self.problems()));
    });
  }

  /** Returns the text of a field that the map itself has, if it is a scalar. */
  Optional<String> ownText(String name) {
    return findOwn(name)
        .flatMap(value ->
            value.node() instanceof SourceNode.Scalar scalar
                ? Optional.of(scalar.text())
                : Optional.empty());
  }

  /** Returns the value of a field, if present. */
  Optional<FieldValue> find(String name) {
    return findOwn(name).or(() -> Optional.ofNullable(inherited.get(name)));
  }

  private Optional<FieldValue> findOwn(String name) {
    return Optional.ofNullable(fields.get(name))
        .map(field -> new FieldValue(field.value(), path(name), self.problems()));
  }

  /**
   * Returns the field if the map itself has it, else the map: the position for a problem about it.
   */
  FieldValue findOrSelf(String name) {
    return findOwn(name).orElse(self);
  }

  /** Reads an optional scalar field; see {@link FieldValue#read}. */
  <T> Optional<T> read(String name, String wanted, Function<String, T> parser) {
    return find(name).flatMap(value -> value.read(wanted, parser));
  }

  /** Reads a scalar field; a problem if it is missing. */
  <T> Optional<T> require(String name, String wanted, Function<String, T> parser) {
    if (!has(name)) missing(name, "give " + wanted);
    return read(name, wanted, parser);
  }

  /** Reads an optional field whose values are the names of an enum. */
  <E extends Enum<E>> Optional<E> choose(String name, Class<E> type) {
    return find(name)
        .flatMap(value -> value.read(EnumNames.wanted(type), text -> EnumNames.parse(type, text)));
  }

  /**
   * Reports a missing field, unless an unknown field is probably a misspelling of it: that one was
   * already reported.
   */
  void missing(String name, String advice) {
    if (suggested.contains(name)) return;
    self.problems().add(self.node().at(), path(name), "is missing; " + advice);
  }

  /** Adds a problem at the name of a field, if the field is present. */
  void problem(String name, String message) {
    var field = fields.get(name);
    if (field != null) problem(field, message);
  }

  /** Reports every field with another name. */
  void allowOnly(List<String> names) {
    for (var unknown : unknown(names)) rejectUnknown(unknown, names);
  }

  /** Returns the fields with other names. */
  List<String> unknown(Collection<String> allowed) {
    var unknown = new ArrayList<>(fields.keySet());
    unknown.removeAll(allowed);
    return unknown;
  }

  /** Reports an unknown field with the nearest allowed name. */
  void rejectUnknown(String name, List<String> allowed) {
    if (name.equals("<<")) {
      problem(name, "merge keys are not supported; write the fields out, or alias a whole value");
      return;
    }
    if (REST_OF_A_NUMBER.matcher(name).matches()) {
      problem(
          name,
          "a comma in braces separates fields; quote a number with commas, such as \"1,000/1d\", or write 1000/1d");
      return;
    }
    NameSuggester.nearest(name, allowed).ifPresent(suggested::add);
    problem(name, "unknown field" + NameSuggester.hint(name, allowed));
  }

  /** Returns whether an unknown field is probably a misspelling of this name. */
  boolean suggested(String name) {
    return suggested.contains(name);
  }

  private void problem(Field field, String message) {
    self.problems().add(field.name().at(), path(field.name().text()), message);
  }

  private String path(String name) {
    String shown = Excerpt.shown(name);
    if (self.path().isEmpty()) return shown;
    return self.path() + "." + shown;
  }
}
