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

/** A map of fields that is being read. A name that is there twice has been complained of. */
final class MappingReader {
  private final FieldValue self;
  private final Map<String, Field> fields = new LinkedHashMap<>();
  private final Set<String> meant = new HashSet<>();

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
    return fields.containsKey(name);
  }

  Optional<FieldValue> find(String name) {
    return Optional.ofNullable(fields.get(name))
        .map(field -> new FieldValue(field.value(), path(name), self.problems()));
  }

  /** The field if it is there, else the section: to complain about what a field did, or should. */
  FieldValue findOrSelf(String name) {
    return find(name).orElse(self);
  }

  <T> Optional<T> read(String name, String wanted, Function<String, T> parser) {
    return find(name).flatMap(value -> value.read(wanted, parser));
  }

  <T> Optional<T> require(String name, String wanted, Function<String, T> parser) {
    if (!has(name)) missing(name, "give " + wanted);
    return read(name, wanted, parser);
  }

  <E extends Enum<E>> Optional<E> choose(String name, Class<E> type) {
    return find(name)
        .flatMap(value -> value.read(EnumNames.wanted(type), text -> EnumNames.parse(type, text)));
  }

  /** Silent if another field is probably this one, misspelled: that has been complained of. */
  void missing(String name, String advice) {
    if (meant.contains(name)) return;
    self.problems().add(self.node().at(), path(name), "is missing; " + advice);
  }

  /** Complains, at the field's name, of a field that is there. */
  void problem(String name, String message) {
    var field = fields.get(name);
    if (field != null) problem(field, message);
  }

  void allowOnly(List<String> names) {
    for (var unknown : unknown(names)) refuseUnknown(unknown, names);
  }

  List<String> unknown(Collection<String> allowed) {
    var unknown = new ArrayList<>(fields.keySet());
    unknown.removeAll(allowed);
    return unknown;
  }

  void refuseUnknown(String name, List<String> allowed) {
    if (name.equals("<<")) {
      problem(name, "merge keys are not supported; write the fields out, or alias a whole value");
      return;
    }
    NameSuggester.nearest(name, allowed).ifPresent(meant::add);
    problem(name, "unknown field" + NameSuggester.hint(name, allowed));
  }

  /** Whether an unknown field was probably this one. */
  boolean meant(String name) {
    return meant.contains(name);
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
