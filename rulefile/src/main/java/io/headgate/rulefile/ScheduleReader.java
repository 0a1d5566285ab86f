package io.headgate.rulefile;

import io.headgate.rule.Schedule;
import io.headgate.rule.Schedule.Hours;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Reads {@code active}, the times at which a rule applies. */
final class ScheduleReader {
  private static final List<String> FIELDS = List.of("days", "hours", "zone", "from", "until");
  private static final String DAYS = "days such as mon-fri, or a list of them";
  private static final String HOURS = "hours such as 09:00-17:00";
  private static final String MOMENT =
      "a local date or time such as 2026-12-24 or 2026-12-24T18:00";

  /** Reads a schedule. */
  static Schedule read(FieldValue value) {
    return value
        .section("a map of " + String.join(", ", FIELDS))
        .flatMap(ScheduleReader::schedule)
        .orElse(Schedule.ALWAYS);
  }

  private static Optional<Schedule> schedule(MappingReader section) {
    section.allowOnly(FIELDS);
    var days = section.find("days").map(ScheduleReader::days).orElse(Schedule.ALWAYS.days());
    var hours = section.read("hours", HOURS, ScheduleReader::hours);
    var zone =
        section.read("zone", TimeZones.WANTED, TimeZones::parse).orElse(Schedule.ALWAYS.zone());
    var from = section.read("from", MOMENT, ScheduleReader::moment);
    var until = section.read("until", MOMENT, ScheduleReader::moment);
    return section
        .findOrSelf(section.has("until") ? "until" : "days")
        .attempt(() -> new Schedule(days, hours, zone, from, until));
  }

  private static Set<DayOfWeek> days(FieldValue value) {
    var days = EnumSet.noneOf(DayOfWeek.class);
    var items = value.itemOrItems(DAYS);
    for (var item : items.orElse(List.of())) {
      item.read(DAYS, ScheduleReader::daysOf).ifPresent(days::addAll);
    }
    boolean named = items.isPresent() && items.get().isEmpty();
    return named || !days.isEmpty() ? days : Schedule.ALWAYS.days();
  }

  private static Set<DayOfWeek> daysOf(String text) {
    var days = EnumSet.noneOf(DayOfWeek.class);
    for (var range : text.split(",", -1)) {
      int dash = range.indexOf('-');
      var first = day(dash < 0 ? range : range.substring(0, dash));
      var last = dash < 0 ? first : day(range.substring(dash + 1));
      for (var day = first; day != last; day = day.plus(1)) days.add(day);
      days.add(last);
    }
    return days;
  }

  private static DayOfWeek day(String text) {
    var names = new ArrayList<String>();
    String name = text.strip().toLowerCase(Locale.ROOT);
    for (var day : DayOfWeek.values()) {
      if (name.equals(WeekdayNames.text(day)) || name.equals(EnumNames.text(day))) return day;
      names.add(WeekdayNames.text(day));
    }
    throw EnumNames.unknown(text.strip(), names);
  }

  private static Hours hours(String text) {
    int dash = text.indexOf('-');
    if (dash < 0) {
      throw new IllegalArgumentException(
          "%s has no end; write %s".formatted(Excerpt.of(text), HOURS));
    }
    String end = text.substring(dash + 1).strip();
    return new Hours(
        time(text, text.substring(0, dash).strip()),
        end.equals("24:00") ? LocalTime.MIDNIGHT : time(text, end));
  }

  private static LocalTime time(String hours, String text) {
    try {
      return LocalTime.parse(text.indexOf(':') == 1 ? "0" + text : text);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "%s is no time of day in %s; write %s"
              .formatted(Excerpt.of(text), Excerpt.of(hours), HOURS),
          e);
    }
  }

  private static LocalDateTime moment(String text) {
    try {
      return text.length() <= "2026-12-24".length()
          ? LocalDate.parse(text).atStartOfDay()
          : LocalDateTime.parse(text.replace(' ', 'T'));
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "%s is no date or time; write %s, without an offset; set the time zone with zone"
              .formatted(Excerpt.of(text), MOMENT),
          e);
    }
  }

  private ScheduleReader() {}
}
