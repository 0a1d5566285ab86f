package io.headgate.limit;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjuster;
import java.time.temporal.TemporalAdjusters;

/** How a {@link FixedWindow} cuts time into pieces. */
public sealed interface Window {

  /** The end of the window that contains {@code now}: the first moment of the next one. */
  long endAfter(long now);

  /** The length in microseconds; of a calendar window, the longest it usually is. */
  long longest();

  /** A number that tells one way of cutting from another; a state remembers it. */
  long signature();

  /** Pieces of one length, counted from the epoch: minutes begin on the minute, in UTC. */
  record Epoch(Duration length) implements Window {
    public Epoch {
      Bounds.requireLength("a window", length);
    }

    @Override
    public long endAfter(long now) {
      return (Math.floorDiv(now, longest()) + 1) * longest();
    }

    @Override
    public long longest() {
      return Bounds.micros(length);
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
    public long longest() {
      return unit.longest.toSeconds() * 1_000_000;
    }

    /** Negative, so that it can't be taken for a length. */
    @Override
    public long signature() {
      return -1 - Integer.toUnsignedLong((unit.name() + zone.getId()).hashCode());
    }

    /** A change of the clock also ends an hour: where it is half an hour, the rest is its own. */
    private long hourAfter(ZonedDateTime local) {
      var end = local.toLocalDateTime().truncatedTo(ChronoUnit.HOURS).plusHours(1);
      long seconds = end.toEpochSecond(local.getOffset());
      var change = zone.getRules().nextTransition(local.toInstant());
      return 1_000_000 * (change == null ? seconds : Math.min(seconds, change.toEpochSecond()));
    }

    /** Where the clock goes back over midnight, the day after may have begun already. */
    private long dayAfter(long now, ZonedDateTime local, TemporalAdjuster next) {
      var day = local.toLocalDate();
      while (true) {
        day = day.with(next);
        long start = day.atStartOfDay(zone).toEpochSecond() * 1_000_000;
        if (start > now) return start;
      }
    }
  }

  /** A unit of the calendar, with the longest that one lasts where summer time is one hour. */
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
