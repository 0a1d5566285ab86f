package io.headgate.rulefile;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Converts between enum constants and their names in rule files: lower case, with hyphens. */
final class EnumNames {
  /** Returns the name of a constant, such as {@code token-bucket}. */
  static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Returns the constant of that name.
   *
   * @throws IllegalArgumentException with the nearest name and all allowed ones, if there is none
   */
  static <E extends Enum<E>> E parse(Class<E> type, String text) {
    for (var value : type.getEnumConstants()) {
      if (text(value).equals(text)) return value;
    }
    throw unknown(text, names(type));
  }

  /** Returns "one of" and all names. */
  static String wanted(Class<? extends Enum<?>> type) {
    return "one of " + String.join(", ", names(type));
  }

  /** Creates the exception for an unknown name. */
  static IllegalArgumentException unknown(String text, Collection<String> allowed) {
    return new IllegalArgumentException(
        "%s is not known%s".formatted(Excerpt.of(text), NameSuggester.hint(text, allowed)));
  }

  private static List<String> names(Class<? extends Enum<?>> type) {
    var names = new ArrayList<String>();
    for (var value : type.getEnumConstants()) names.add(text(value));
    return names;
  }

  private EnumNames() {}
}
