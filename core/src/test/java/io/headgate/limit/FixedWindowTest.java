package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Window.Calendar;
import io.headgate.limit.Window.Unit;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class FixedWindowTest {
  private static final FixedWindow THREE_PER_MINUTE = FixedWindow.of(Rate.perMinute(3));

  @Test
  void windowsAreCountedSeparately() {
    assertThat(Trace.of(THREE_PER_MINUTE, "10s 20s 30s 40s 60s 61s"))
        .isEqualTo("ok:2 ok:1 ok:0 wait:20s ok:2 ok:1");
  }

  @Test
  void twiceTheLimitPassesAcrossABoundary() {
    assertThat(Trace.of(THREE_PER_MINUTE, "3@59999999us 59999999us 3@60s 60s"))
        .isEqualTo("ok:0 wait:1us ok:0 wait:60s");
  }

  @Test
  void windowContinuesWhenTheClockStepsBack() {
    assertThat(Trace.of(THREE_PER_MINUTE, "3@10s 61s 10s 30s 30s 119s 120s"))
        .isEqualTo("ok:0 ok:2 ok:1 ok:0 wait:90s wait:1s ok:2");
  }

  @Test
  void costIsChargedInFullOrNotAtAll() {
    assertThat(Trace.of(THREE_PER_MINUTE, "2@0s 2@1s 1@2s 0@3s 4@4s"))
        .isEqualTo("ok:1 wait:59s ok:0 ok:0 never");
  }

  /** The epoch was a Thursday, at 1:00 in Berlin. */
  @Test
  void calendarDayEndsAtMidnightOfItsZone() {
    var perDay = FixedWindow.of(2, new Calendar(Unit.DAY, ZoneId.of("Europe/Berlin")));
    assertThat(Trace.of(perDay, "0h 22h 22h 23h 23h 30h 46h 47h"))
        .isEqualTo("ok:1 ok:0 wait:3600s ok:1 ok:0 wait:61200s wait:3600s ok:1");
  }

  @Test
  void calendarWeekEndsOnMonday() {
    var perWeek = FixedWindow.of(1, new Calendar(Unit.WEEK, ZoneId.of("UTC")));
    assertThat(Trace.of(perWeek, "0d 3d 4d 10d 11d"))
        .isEqualTo("ok:0 wait:86400s ok:0 wait:86400s ok:0");
  }

  @Test
  void calendarMonthFollowsTheCalendar() {
    var perMonth = FixedWindow.of(1, new Calendar(Unit.MONTH, ZoneId.of("UTC")));
    assertThat(Trace.of(perMonth, "0d 30d 31d 58d 59d"))
        .isEqualTo("ok:0 wait:86400s ok:0 wait:86400s ok:0");
  }
}
