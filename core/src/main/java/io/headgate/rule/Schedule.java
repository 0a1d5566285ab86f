package io.headgate.rule;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * The times at which a rule applies, by the wall clock of a time zone.
 *
 * @param days at least one
 * @param hours the hours of each day; empty for the whole day
 * @param zone the time zone of all other fields
 * @param from the time at which the rule starts to apply, inclusive
 * @param until the time at which the rule ceases to apply, exclusive
 */
public record Schedule(
    Set<DayOfWeek> days,
    Optional<Hours> hours,
    ZoneId zone,
    Optional<LocalDateTime> from,
    Optional<LocalDateTime> until) {

  /** The schedule of a rule that always applies. */
  public static final Schedule ALWAYS =
      new Schedule(
          EnumSet.allOf(DayOfWeek.class),
          Optional.empty(),
          ZoneId.of("UTC"),
          Optional.empty(),
          Optional.empty());

  /** A span of the day. It ends on the next day if {@code to} is before {@code from}. */
  public record Hours(LocalTime from, LocalTime to) {
    /** Throws {@link IllegalArgumentException} if both times are equal. */
    public Hours {
      if (from.equals(to)) {
        throw new IllegalArgumentException(
            "hours %s-%s are empty; leave them out for the whole day".formatted(from, to));
      }
    }
  }

  /** Throws {@link IllegalArgumentException} if the schedule is empty. */
  public Schedule {
    days = Set.copyOf(days);
    if (days.isEmpty()) {
      throw new IllegalArgumentException(
          "days must name at least one; to switch a rule off, use mode: off");
    }
    if (from.isPresent() && until.isPresent() && !from.get().isBefore(until.get())) {
      throw new IllegalArgumentException(
          "from %s must be before until %s".formatted(from.get(), until.get()));
    }
  }

  /**
   * Returns whether the rule applies at a time.
   *
   * @param now microseconds since the epoch
   */
  public boolean isActive(long now) {
    var moment = Instant.EPOCH.plus(now, ChronoUnit.MICROS);
    if (from.isPresent() && moment.isBefore(instant(from.get()))) return false;
    if (until.isPresent() && !moment.isBefore(instant(until.get()))) return false;
    var local = moment.atZone(zone).toLocalDateTime();
    if (hours.isEmpty()) return days.contains(local.getDayOfWeek());
    var time = local.toLocalTime();
    var open = hours.get().from();
    var close = hours.get().to();
    if (open.isBefore(close)) {
      return days.contains(local.getDayOfWeek()) && !time.isBefore(open) && time.isBefore(close);
    }
    // A span over midnight belongs to the day on which it began.
    if (!time.isBefore(open)) return days.contains(local.getDayOfWeek());
    return time.isBefore(close) && days.contains(local.getDayOfWeek().minus(1));
  }

  /**
   * Converts a wall clock time. Times are compared as instants, since a wall clock time occurs
   * twice when daylight saving time ends.
   */
  private Instant instant(LocalDateTime local) {
    return local.atZone(zone).toInstant();
  }
}
