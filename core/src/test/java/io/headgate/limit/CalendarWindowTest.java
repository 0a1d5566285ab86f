package io.headgate.limit;

import static io.headgate.limit.Window.Unit.DAY;
import static io.headgate.limit.Window.Unit.HOUR;
import static io.headgate.limit.Window.Unit.MONTH;
import static io.headgate.limit.Window.Unit.WEEK;
import static io.headgate.limit.Window.Unit.YEAR;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Window.Calendar;
import io.headgate.limit.Window.Unit;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Windows end at calendar boundaries. Each time is written with its offset from UTC. */
class CalendarWindowTest {

  @ParameterizedTest
  @CsvSource({
    "2026-01-31T23:59:59.999999Z, 2026-02-01T00:00Z",
    "2026-02-01T00:00Z, 2026-03-01T00:00Z",
    "2028-02-29T12:00Z, 2028-03-01T00:00Z",
    "2100-02-28T12:00Z, 2100-03-01T00:00Z",
    "2026-04-01T00:00Z, 2026-05-01T00:00Z",
    "2026-12-31T23:00Z, 2027-01-01T00:00Z",
  })
  void monthEndsAtTheStartOfTheNext(String time, String end) {
    assertThat(end(MONTH, "UTC", time)).isEqualTo(end);
  }

  @ParameterizedTest
  @CsvSource({
    "2026-01-01T00:00Z, PT744H",
    "2026-02-01T00:00Z, PT672H",
    "2028-02-01T00:00Z, PT696H",
    "2026-04-01T00:00Z, PT720H",
  })
  void monthsHave28To31Days(String start, String length) {
    assertThat(length(MONTH, "UTC", start)).isEqualTo(length);
  }

  @ParameterizedTest
  @CsvSource({
    "2026-01-01T00:00Z, PT8760H",
    "2028-01-01T00:00Z, PT8784H",
    "2100-01-01T00:00Z, PT8760H"
  })
  void yearsHave365Or366Days(String start, String length) {
    assertThat(length(YEAR, "UTC", start)).isEqualTo(length);
  }

  @ParameterizedTest
  @CsvSource({
    "2026-11-15T23:59Z, 2026-11-16T00:00Z",
    "2026-11-16T00:00Z, 2026-11-23T00:00Z",
    "2026-12-31T00:00Z, 2027-01-04T00:00Z",
  })
  void weeksBeginOnMonday(String time, String end) {
    assertThat(end(WEEK, "UTC", time)).isEqualTo(end);
  }

  @ParameterizedTest
  @CsvSource({
    "Europe/Berlin,       2026-03-29T00:00+01:00, PT23H",
    "Europe/Berlin,       2026-10-25T00:00+02:00, PT25H",
    "Europe/Berlin,       2026-10-26T00:00+01:00, PT24H",
    "America/New_York,    2026-03-08T00:00-05:00, PT23H",
    "America/New_York,    2026-11-01T00:00-04:00, PT25H",
    "Australia/Lord_Howe, 2026-04-05T00:00+11:00, PT24H30M",
    "Australia/Lord_Howe, 2026-10-04T00:00+10:30, PT23H30M",
    "Asia/Kolkata,        2026-06-01T00:00+05:30, PT24H",
    "America/Sao_Paulo,   2018-02-17T00:00-02:00, PT25H",
    "America/Havana,      2026-11-01T00:00-04:00, PT25H",
  })
  void daysWithAClockTransitionAreShorterOrLonger(String zone, String start, String length) {
    assertThat(length(DAY, zone, start)).isEqualTo(length);
  }

  @Test
  void skippedCalendarDayHasNoWindow() {
    assertThat(end(DAY, "Pacific/Apia", "2011-12-29T12:00-10:00"))
        .isEqualTo("2011-12-31T00:00+14:00");
    assertThat(length(DAY, "Pacific/Apia", "2011-12-29T00:00-10:00")).isEqualTo("PT24H");
    assertThat(length(MONTH, "Pacific/Apia", "2011-12-01T00:00-10:00")).isEqualTo("PT720H");
  }

  /** At 0:01 on that Sunday the clock was set back to 23:01 on Saturday. The new day continues. */
  @Test
  void dayContinuesWhenTheClockIsSetBackOverMidnight() {
    var zone = "America/St_Johns";
    assertThat(end(DAY, zone, "2010-11-06T23:59-02:30")).isEqualTo("2010-11-07T00:00-02:30");
    assertThat(end(DAY, zone, "2010-11-07T00:00-02:30")).isEqualTo("2010-11-08T00:00-03:30");
    assertThat(end(DAY, zone, "2010-11-06T23:30-03:30")).isEqualTo("2010-11-08T00:00-03:30");
  }

  @ParameterizedTest
  @CsvSource({
    "Asia/Kolkata,  2026-06-01T10:59:59+05:30, 2026-06-01T11:00+05:30",
    "Asia/Kolkata,  2026-06-01T11:00+05:30,    2026-06-01T12:00+05:30",
    "Europe/Berlin, 2026-03-29T01:30+01:00,    2026-03-29T03:00+02:00",
    "Europe/Berlin, 2026-10-25T02:30+02:00,    2026-10-25T02:00+01:00",
    "Europe/Berlin, 2026-10-25T02:30+01:00,    2026-10-25T03:00+01:00",
  })
  void hoursBeginAtZeroMinutesLocalTime(String zone, String time, String end) {
    assertThat(end(HOUR, zone, time)).isEqualTo(end);
  }

  /** The clock is set from 2:00 to 1:30, and in October from 2:00 to 2:30. */
  @ParameterizedTest
  @CsvSource({
    "2026-04-05T01:45+11:00, 2026-04-05T01:30+10:30",
    "2026-04-05T01:45+10:30, 2026-04-05T02:00+10:30",
    "2026-04-05T02:15+10:30, 2026-04-05T03:00+10:30",
    "2026-10-04T01:45+10:30, 2026-10-04T02:30+11:00",
    "2026-10-04T02:45+11:00, 2026-10-04T03:00+11:00",
  })
  void halfHourTransitionSplitsAnHour(String time, String end) {
    assertThat(end(HOUR, "Australia/Lord_Howe", time)).isEqualTo(end);
  }

  @Test
  void calendarSignaturesAreUnique() {
    Map<Long, Calendar> seen = new HashMap<>();
    for (var id : ZoneId.getAvailableZoneIds()) {
      for (var unit : Unit.values()) {
        var alignment = new Calendar(unit, ZoneId.of(id));
        assertThat(seen.put(alignment.signature(), alignment)).as(alignment.toString()).isNull();
        assertThat(alignment.signature()).isNegative().isGreaterThanOrEqualTo(-Bounds.MAX);
      }
    }
  }

  private static String end(Unit unit, String zone, String time) {
    return time(new Calendar(unit, ZoneId.of(zone)).endAfter(micros(time)), zone);
  }

  /** Returns the length of the window that begins at {@code start}. */
  private static String length(Unit unit, String zone, String start) {
    var alignment = new Calendar(unit, ZoneId.of(zone));
    long begin = micros(start);
    assertThat(alignment.endAfter(begin - 1)).as("begins a window").isEqualTo(begin);
    return Duration.of(alignment.endAfter(begin) - begin, ChronoUnit.MICROS).toString();
  }

  private static long micros(String time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, ZonedDateTime.parse(time).toInstant());
  }

  private static String time(long micros, String zone) {
    return Instant.EPOCH
        .plus(micros, ChronoUnit.MICROS)
        .atZone(ZoneId.of(zone))
        .toOffsetDateTime()
        .toString();
  }
}
