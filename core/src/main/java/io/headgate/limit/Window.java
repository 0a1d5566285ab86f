package io.headgate.limit;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/** How a {@link FixedWindow} cuts time into pieces. */
public sealed interface Window {

  /** The end of the window that contains {@code now}: the first moment of the next one. */
  long endAfter(long now);

  /** The length in microseconds; of a calendar window, the longest it can be. */
  long longest();

  /** A number that tells one way of cutting from another; a state remembers it. */
  long signature();

  /** Pieces of one length, counted from the epoch: minutes begin on the minute, in UTC. */
  record Epoch(Duration length) implements Window {
    public Epoch {
      Exact.requireLength("a window", length);
    }

    @Override
    public long endAfter(long now) {
      return (Math.floorDiv(now, longest()) + 1) * longest();
    }

    @Override
    public long longest() {
      return Exact.micros(length);
    }

    @Override
    public long signature() {
      return longest();
    }
  }

  /**
   * Real hours, days, weeks (from Monday), months and years of a time zone, summer time included.
   */
  record Calendar(Unit unit, ZoneId zone) implements Window {
    @Override
    public long endAfter(long now) {
      var local =
          Instant.EPOCH.plus(now, ChronoUnit.MICROS).atZone(zone).truncatedTo(ChronoUnit.HOURS);
      LocalDate day = local.toLocalDate();
      return micros(
          switch (unit) {
            case HOUR -> hourAfter(local, now);
            case DAY -> day.plusDays(1).atStartOfDay(zone);
            case WEEK -> day.with(TemporalAdjusters.next(DayOfWeek.MONDAY)).atStartOfDay(zone);
            case MONTH -> day.with(TemporalAdjusters.firstDayOfNextMonth()).atStartOfDay(zone);
            case YEAR -> day.with(TemporalAdjusters.firstDayOfNextYear()).atStartOfDay(zone);
          });
    }

    @Override
    public long longest() {
      return unit.longest.toSeconds() * 1_000_000;
    }

    /** Negative, so that it can't be taken for a length. */
    @Override
    public long signature() {
      return -1 - Integer.toUnsignedLong((unit.name() + zone.getId()).hashCode());
    }

    /** Where summer time moves the clock by half an hour, an hour's end may already have passed. */
    private static ZonedDateTime hourAfter(ZonedDateTime start, long now) {
      var end = start.plusHours(1);
      return micros(end) > now ? end : end.plusHours(1);
    }

    private static long micros(ZonedDateTime time) {
      return time.toEpochSecond() * 1_000_000;
    }
  }

  /** A unit of the calendar, with the longest that one of them can last (a day may have 25 h). */
  enum Unit {
    HOUR(Duration.ofHours(1)),
    DAY(Duration.ofHours(25)),
    WEEK(Duration.ofHours(7 * 24 + 1)),
    MONTH(Duration.ofHours(31 * 24 + 1)),
    YEAR(Duration.ofDays(366));

    final Duration longest;

    Unit(Duration longest) {
      this.longest = longest;
    }
  }
}
