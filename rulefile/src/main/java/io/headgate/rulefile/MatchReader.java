package io.headgate.rulefile;

import io.headgate.rule.Match;
import io.headgate.rule.Pattern;
import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/** Reads {@code match} and {@code per}. */
final class MatchReader {
  static final String IS = "is";
  static final String EXCEPT = "except";
  static final String OR = "or";
  static final String ABSENT = "absent";
  private static final String PATTERN = "a pattern such as \"user:*\", or a list of them";

  /** Reads the conditions of a rule or override. Invalid ones are left out and reported. */
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

  /** Reads an attribute or a list of attributes. */
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
    return value.section(PATTERN).flatMap(section -> map(attribute, section));
  }

  /**
   * Reads a map of {@code is}, by default any value, {@code except} and {@code or: absent}, or of
   * {@code absent: true} alone.
   */
  private static Optional<Pattern> map(String attribute, MappingReader section) {
    section.allowOnly(List.of(IS, EXCEPT, OR, ABSENT));
    if (section.has(ABSENT)) return absent(section);
    boolean orAbsent = section.has(OR);
    if (orAbsent && section.read(OR, ABSENT, MatchReader::absentWord).isEmpty()) {
      return Optional.empty();
    }
    if (!section.has(EXCEPT) && !(orAbsent && section.has(IS))) {
      section.missing(
          EXCEPT,
          orAbsent
              ? "give the values to exclude, or those to match under is:"
              : "give the values to exclude, or add or: absent");
    }
    var pattern = section.has(EXCEPT) ? exception(attribute, section) : is(attribute, section);
    return orAbsent ? pattern.map(Pattern.OrAbsent::new) : pattern;
  }

  private static Optional<Pattern> is(String attribute, MappingReader section) {
    return section.find(IS).flatMap(value -> patterns(attribute, value));
  }

  private static Optional<Pattern> absent(MappingReader section) {
    for (var other : List.of(IS, EXCEPT, OR)) {
      section.problem(
          other, "absent: true matches no value; write or: absent to match values as well");
    }
    return section.read(ABSENT, "true", MatchReader::yes).map(yes -> new Pattern.Absent());
  }

  private static String absentWord(String text) {
    if (text.equals(ABSENT)) return text;
    throw EnumNames.unknown(text, List.of(ABSENT));
  }

  private static boolean yes(String text) {
    if (text.equals("true")) return true;
    throw new IllegalArgumentException(
        "%s has no effect; write true, or a pattern such as \"*\" for callers that have the attribute"
            .formatted(Excerpt.of(text)));
  }

  /** Reads {@code is}, by default any value, and {@code except}. */
  private static Optional<Pattern> exception(String attribute, MappingReader section) {
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

  /** Validates an attribute's name. A name that no subject can have would never match. */
  static String attribute(String name) {
    if (name.isEmpty() || name.length() > Subject.MAX_NAME_LENGTH) {
      throw new IllegalArgumentException(
          "an attribute's name must have 1 to %d characters, got %d: %s"
              .formatted(Subject.MAX_NAME_LENGTH, name.length(), Excerpt.of(name)));
    }
    return name;
  }

  private MatchReader() {}
}
