package io.headgate.rulefile;

import java.time.DayOfWeek;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;

/** Formats days of the week by their first three letters. */
final class WeekdayNames {
  /** Returns the name of a day, such as {@code mon}. */
  static String text(DayOfWeek day) {
    return day.name().substring(0, 3).toLowerCase(Locale.ROOT);
  }

  /** Returns days with ranges for three or more in a row: {@code mon-fri,sun}. */
  static String text(Set<DayOfWeek> days) {
    var texts = new StringJoiner(",");
    for (int first = 1; first <= 7; first++) {
      if (!days.contains(DayOfWeek.of(first))) continue;
      int last = first;
      while (last < 7 && days.contains(DayOfWeek.of(last + 1))) last++;
      String from = text(DayOfWeek.of(first));
      String to = text(DayOfWeek.of(last));
      texts.add(last == first ? from : from + (last == first + 1 ? "," : "-") + to);
      first = last;
    }
    return texts.toString();
  }

  private WeekdayNames() {}
}
