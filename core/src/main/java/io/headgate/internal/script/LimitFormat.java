package io.headgate.internal.script;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Window;
import org.jspecify.annotations.Nullable;

/** How the limits of a batch are encoded for the servers. */
public enum LimitFormat {
  /**
   * Seven numbers for each limit. The servers have no calendar: the ends of calendar windows around
   * the estimated time of the server are part of the numbers.
   */
  NUMBERS,

  /**
   * Seven numbers, and the time zone of a calendar window as text. The servers compute the ends of
   * its windows: of the numbers, the fifth is the calendar unit.
   */
  CALENDARS;

  /** Returns whether the servers can't compute the windows of this limit by themselves. */
  boolean needsEnds(Limit limit) {
    return this == NUMBERS && calendarOf(limit) != null;
  }

  /**
   * Appends a limit.
   *
   * @param estimate the estimated time of the server, in microseconds
   */
  void write(Limit limit, long estimate, MessagePackWriter out) {
    var numbers = LimitEncoding.of(limit, estimate);
    var calendar = this == CALENDARS ? calendarOf(limit) : null;
    if (calendar != null) {
      numbers[LimitEncoding.UNIT] = LimitEncoding.code(calendar.unit());
      numbers[LimitEncoding.UNIT + 1] = 0;
      numbers[LimitEncoding.UNIT + 2] = 0;
    }
    for (long number : numbers) out.put(number);
    if (calendar != null) out.put(calendar.zone().getId());
  }

  private static Window.@Nullable Calendar calendarOf(Limit limit) {
    return limit instanceof FixedWindow window
            && window.alignment() instanceof Window.Calendar calendar
        ? calendar
        : null;
  }
}
