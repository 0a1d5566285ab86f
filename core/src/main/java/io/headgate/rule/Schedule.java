package io.headgate.rule;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

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

  /** The time returned by {@link #activeUntil} for a rule that does not cease to apply. */
  static final long ENDLESS = Long.MAX_VALUE;

  /** The days in which a schedule of days or hours is inactive at least once. */
  private static final int MAX_ACTIVE_DAYS = 9;

  /**
   * Returns the next time at which the rule does not apply.
   *
   * @param now microseconds since the epoch, at which the rule applies
   * @return microseconds since the epoch; {@link #ENDLESS} if that is more than 100 years away
   */
  long activeUntil(long now) {
    var moment = Instant.EPOCH.plus(now, ChronoUnit.MICROS);
    if (days.size() < DayOfWeek.values().length || hours.isPresent()) {
      for (var change : changesAfter(moment)) {
        if (!isActive(micros(change))) return micros(change);
      }
    }
    var end = until.map(this::instant).filter(moment.plus(36_525, ChronoUnit.DAYS)::isAfter);
    return end.isPresent() ? micros(end.get()) : ENDLESS;
  }

  /**
   * Returns the times of the next days at which the rule may cease to apply. Between two of them,
   * the wall clock runs evenly and passes no limit of the schedule.
   */
  private NavigableSet<Instant> changesAfter(Instant moment) {
    var changes = new TreeSet<Instant>();
    var rules = zone.getRules();
    var last = moment.plus(MAX_ACTIVE_DAYS, ChronoUnit.DAYS);
    var next = rules.nextTransition(moment);
    while (next != null && next.getInstant().isBefore(last)) {
      changes.add(next.getInstant());
      next = rules.nextTransition(next.getInstant());
    }
    var today = moment.atZone(zone).toLocalDate();
    var end = hours.map(Hours::to).orElse(LocalTime.MIDNIGHT);
    for (int day = 0; day <= MAX_ACTIVE_DAYS; day++) {
      var local = today.plusDays(day).atTime(end);
      // Twice in an hour that is repeated, never in one that is skipped.
      for (var offset : rules.getValidOffsets(local)) changes.add(local.toInstant(offset));
    }
    until.map(this::instant).ifPresent(changes::add);
    return changes.tailSet(moment, false);
  }

  private static long micros(Instant instant) {
    return instant.getEpochSecond() * 1_000_000 + Math.ceilDiv(instant.getNano(), 1_000);
  }

  /**
   * Converts a wall clock time. Times are compared as instants, since a wall clock time occurs
   * twice when daylight saving time ends.
   */
  private Instant instant(LocalDateTime local) {
    return local.atZone(zone).toInstant();
  }
}
