package io.headgate.rulefile;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Values that have names: enums are written in small letters. */
final class EnumNames {
  static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static <E extends Enum<E>> E parse(Class<E> type, String text) {
    for (var value : type.getEnumConstants()) {
      if (text(value).equals(text)) return value;
    }
    throw unknown(text, names(type));
  }

  static String wanted(Class<? extends Enum<?>> type) {
    return "one of " + String.join(", ", names(type));
  }

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
