package io.headgate.rulefile;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

/** Parses time zones by name or offset. */
final class TimeZones {
  static final String WANTED = "a time zone such as Europe/Berlin, UTC or +02:00";
  static final ZoneId UTC = ZoneId.of("UTC");

  /**
   * Parses a time zone.
   *
   * @throws IllegalArgumentException with the nearest name, if there is no such zone
   */
  static ZoneId parse(String text) {
    try {
      return ZoneId.of(text);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "%s is no known time zone%s Write %s"
              .formatted(Excerpt.of(text), NameSuggester.didYouMean(nearest(text)), WANTED),
          e);
    }
  }

  private static Optional<String> nearest(String text) {
    var names = new TreeSet<>(ZoneId.getAvailableZoneIds());
    String city = "/" + text.toLowerCase(Locale.ROOT).replace(' ', '_');
    return names.stream()
        .filter(name -> name.toLowerCase(Locale.ROOT).endsWith(city))
        .findFirst()
        .or(() -> NameSuggester.nearest(text, names));
  }

  private TimeZones() {}
}
