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
 * When a rule applies, by the wall clock of a time zone.
 *
 * @param from and {@code until}: the first moment at which it applies, and the first at which it no
 *     longer does
 */
public record Schedule(
    Set<DayOfWeek> days,
    Optional<Hours> hours,
    ZoneId zone,
    Optional<LocalDateTime> from,
    Optional<LocalDateTime> until) {

  public static final Schedule ALWAYS =
      new Schedule(
          EnumSet.allOf(DayOfWeek.class),
          Optional.empty(),
          ZoneId.of("UTC"),
          Optional.empty(),
          Optional.empty());

  /** From one time of day to another; past midnight when the end is not after the start. */
  public record Hours(LocalTime from, LocalTime to) {
    public Hours {
      if (from.equals(to)) {
        throw new IllegalArgumentException(
            "hours %s-%s are no time at all; leave them out for the whole day".formatted(from, to));
      }
    }
  }

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
    // A night belongs to the day on which it began.
    if (!time.isBefore(open)) return days.contains(local.getDayOfWeek());
    return time.isBefore(close) && days.contains(local.getDayOfWeek().minus(1));
  }

  /** Compared as moments: where summer time ends, the same wall clock time comes twice. */
  private Instant instant(LocalDateTime local) {
    return local.atZone(zone).toInstant();
  }
}
