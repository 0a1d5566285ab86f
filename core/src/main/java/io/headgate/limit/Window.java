package io.headgate.limit;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjuster;
import java.time.temporal.TemporalAdjusters;

/**
 * The alignment of the windows of a {@link FixedWindow}. Times are microseconds since the epoch.
 */
public sealed interface Window {

  /** Returns the end of the window that contains {@code now}, which is the start of the next. */
  long endAfter(long now);

  /** Returns the length in microseconds; for a calendar window, the usual maximum. */
  long maxLength();

  /** Returns a number that identifies the alignment. It is stored with the state. */
  long signature();

  /** Windows of a fixed length, counted from the epoch; minutes begin on the minute in UTC. */
  record Epoch(Duration length) implements Window {
    /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
    public Epoch {
      Bounds.requireDuration("a window", length);
    }

    @Override
    public long endAfter(long now) {
      return (Math.floorDiv(now, maxLength()) + 1) * maxLength();
    }

    @Override
    public long maxLength() {
      return Bounds.micros(length);
    }

    @Override
    public long signature() {
      return maxLength();
    }
  }

  /**
   * Calendar hours, days, weeks (from Monday), months or years of a time zone, with its daylight
   * saving time.
   */
  record Calendar(Unit unit, ZoneId zone) implements Window {
    @Override
    public long endAfter(long now) {
      var local = Instant.EPOCH.plus(now, ChronoUnit.MICROS).atZone(zone);
      return switch (unit) {
        case HOUR -> hourAfter(local);
        case DAY -> dayAfter(now, local, TemporalAdjusters.ofDateAdjuster(day -> day.plusDays(1)));
        case WEEK -> dayAfter(now, local, TemporalAdjusters.next(DayOfWeek.MONDAY));
        case MONTH -> dayAfter(now, local, TemporalAdjusters.firstDayOfNextMonth());
        case YEAR -> dayAfter(now, local, TemporalAdjusters.firstDayOfNextYear());
      };
    }

    @Override
    public long maxLength() {
      return unit.maxLength.toSeconds() * 1_000_000;
    }

    /** Returns a negative number, which differs from every length. */
    @Override
    public long signature() {
      return -1 - Integer.toUnsignedLong((unit.name() + zone.getId()).hashCode());
    }

    /**
     * Returns the end of the hour. A transition of the clock ends the hour too: after a transition
     * of half an hour, the rest of the hour is a window of its own.
     */
    private long hourAfter(ZonedDateTime local) {
      var end = local.toLocalDateTime().truncatedTo(ChronoUnit.HOURS).plusHours(1);
      long seconds = end.toEpochSecond(local.getOffset());
      var change = zone.getRules().nextTransition(local.toInstant());
      return 1_000_000 * (change == null ? seconds : Math.min(seconds, change.toEpochSecond()));
    }

    /**
     * Skips a day whose start is not after {@code now}, as when a clock is set back over midnight.
     */
    private long dayAfter(long now, ZonedDateTime local, TemporalAdjuster next) {
      var day = local.toLocalDate();
      while (true) {
        day = day.with(next);
        long start = day.atStartOfDay(zone).toEpochSecond() * 1_000_000;
        if (start > now) return start;
      }
    }
  }

  /** A calendar unit, with its maximum length in zones whose clock changes by up to one hour. */
  enum Unit {
    /** An hour; shorter if a transition of the clock divides it. */
    HOUR(Duration.ofHours(1)),
    /** A day, from midnight to midnight. */
    DAY(Duration.ofHours(25)),
    /** A week, from Monday. */
    WEEK(Duration.ofHours(7 * 24 + 1)),
    /** A month. */
    MONTH(Duration.ofHours(31 * 24 + 1)),
    /** A year. */
    YEAR(Duration.ofDays(366));

    final Duration maxLength;

    Unit(Duration maxLength) {
      this.maxLength = maxLength;
    }
  }
}
