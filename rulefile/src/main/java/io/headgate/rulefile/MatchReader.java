package io.headgate.rulefile;

import io.headgate.rule.Match;
import io.headgate.rule.Pattern;
import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/** Reads what names attributes: {@code match} and {@code per}. */
final class MatchReader {
  static final String IS = "is";
  static final String EXCEPT = "except";
  private static final String PATTERN = "a pattern such as \"user:*\", or a list of them";

  static Match match(FieldValue value) {
    var conditions = new LinkedHashMap<String, Pattern>();
    value
        .section("a map such as { key: \"user:*\" } ({} for everything)")
        .ifPresent(section -> {
          for (var name : section.names()) {
            section
                .find(name)
                .flatMap(pattern -> condition(name, pattern))
                .ifPresent(pattern -> conditions.put(name, pattern));
          }
        });
    return new Match(conditions);
  }

  static List<String> per(FieldValue value) {
    var names = new ArrayList<String>();
    var seen = new HashSet<String>();
    for (var item : value.itemOrItems("an attribute or a list of them").orElse(List.of())) {
      item.read("an attribute", MatchReader::attribute)
          .ifPresent(name -> {
            names.add(name);
            if (!seen.add(name)) {
              item.problem("%s is listed twice; remove one".formatted(Excerpt.of(name)));
            }
          });
    }
    return names;
  }

  private static Optional<Pattern> condition(String attribute, FieldValue value) {
    if (value.attempt(() -> attribute(attribute)).isEmpty()) return Optional.empty();
    if (!(value.node() instanceof SourceNode.Fields)) return patterns(attribute, value);
    return value.section(PATTERN).flatMap(section -> exception(attribute, section));
  }

  /** A map: what to match, which is anything unless it is said, and what not. */
  private static Optional<Pattern> exception(String attribute, MappingReader section) {
    section.allowOnly(List.of(IS, EXCEPT));
    if (!section.has(EXCEPT)) section.missing(EXCEPT, "give what is not to match");
    var is = section.find(IS);
    var pattern =
        is.isPresent() ? patterns(attribute, is.get()) : Optional.of(Pattern.parse(attribute, "*"));
    var excluded = section.find(EXCEPT).flatMap(value -> patterns(attribute, value));
    return pattern.flatMap(one -> excluded.map(other -> new Pattern.Except(one, other)));
  }

  private static Optional<Pattern> patterns(String attribute, FieldValue value) {
    var patterns = new ArrayList<Pattern>();
    var items = value.itemOrItems(PATTERN);
    for (var item : items.orElse(List.of())) {
      item.read(PATTERN, text -> Pattern.parse(attribute, text)).ifPresent(patterns::add);
    }
    if (items.isEmpty()) return Optional.empty();
    if (items.get().isEmpty()) {
      return value.attempt(() -> Pattern.anyOf(patterns));
    }
    return patterns.isEmpty() ? Optional.empty() : Optional.of(Pattern.anyOf(patterns));
  }

  /** A name that no subject can have would never match. */
  static String attribute(String name) {
    if (name.isEmpty() || name.length() > Subject.LONGEST_NAME) {
      throw new IllegalArgumentException(
          "an attribute's name must have 1 to %d characters, got %d: %s"
              .formatted(Subject.LONGEST_NAME, name.length(), Excerpt.of(name)));
    }
    return name;
  }

  private MatchReader() {}
}
