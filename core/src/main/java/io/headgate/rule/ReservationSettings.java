package io.headgate.rule;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How a rule treats reservations: permits that a client holds until it knows the real cost.
 *
 * @param ttl the time after which a reservation expires, unless the client updates it
 * @param maxSharePermille the largest part of a limit's capacity that one reservation may hold, in
 *     thousandths
 * @param defaultCost the permits that a reservation holds of a limit with a named cost that the
 *     request does not name; empty for 1
 * @param excess what happens to an estimate above the largest part
 * @param onExpiry what a reservation is charged that expires
 * @param maxDebt the longest time for which usage beyond a limit, of a reservation or reported
 *     afterwards, makes later requests wait; empty for {@link #DEBT_WINDOWS} windows of the limit
 */
public record ReservationSettings(
    Duration ttl,
    int maxSharePermille,
    OptionalLong defaultCost,
    Excess excess,
    OnExpiry onExpiry,
    Optional<Duration> maxDebt) {
  /**
   * The treatment of an estimate that exceeds the part of a limit that one reservation may hold.
   */
  public enum Excess {
    /** The reservation is granted with the largest amount allowed. */
    CLAMP,
    /** The reservation is denied as impossible. */
    REFUSE
  }

  /** The charge of a reservation that expires. */
  public enum OnExpiry {
    /** The usage that was last reported. A limit without a named cost is charged as reserved. */
    CHARGE_USED,
    /** The reserved amount. */
    CHARGE_RESERVED,
    /** Nothing. */
    RELEASE
  }

  /** The shortest time to live. */
  public static final Duration MIN_TTL = Duration.ofSeconds(1);

  /** The longest time to live, and the longest time by which an update extends it. */
  public static final Duration MAX_TTL = Duration.ofHours(1);

  /** The lowest {@code maxDebt}. */
  public static final Duration MIN_DEBT = Duration.ofSeconds(1);

  /** The highest {@code maxDebt}. */
  public static final Duration MAX_DEBT = Duration.ofDays(366);

  /**
   * The default of {@code maxDebt} in windows of the limit, so that a single report of a client
   * can't exclude a subject for years.
   */
  public static final int DEBT_WINDOWS = 10;

  /** The settings of a rule that has none. */
  public static final ReservationSettings DEFAULT =
      new ReservationSettings(
          Duration.ofSeconds(60),
          1_000,
          OptionalLong.empty(),
          Excess.CLAMP,
          OnExpiry.CHARGE_USED,
          Optional.empty());

  /** Validates the parameters; throws {@link IllegalArgumentException} if one is out of range. */
  public ReservationSettings {
    requireTtl(ttl);
    if (maxSharePermille < 1 || maxSharePermille > 1_000) {
      throw new IllegalArgumentException(
          "the max-share of a reservation must be 0.1%% to 100%%, got %s%%"
              .formatted(maxSharePermille / 10.0));
    }
    if (defaultCost.isPresent()
        && (defaultCost.getAsLong() < 1 || defaultCost.getAsLong() > Request.MAX_COST)) {
      throw new IllegalArgumentException(
          "the default of a reservation must be 1 to %d, got %d"
              .formatted(Request.MAX_COST, defaultCost.getAsLong()));
    }
    if (maxDebt.isPresent()
        && (maxDebt.get().compareTo(MIN_DEBT) < 0 || maxDebt.get().compareTo(MAX_DEBT) > 0)) {
      throw new IllegalArgumentException(
          "the max-debt of a reservation must be 1s to 366d, got %ds"
              .formatted(maxDebt.get().toSeconds()));
    }
  }

  /**
   * Validates a time to live.
   *
   * @throws IllegalArgumentException if it is shorter than {@link #MIN_TTL} or longer than {@link
   *     #MAX_TTL}
   */
  public static Duration requireTtl(Duration ttl) {
    if (ttl.compareTo(MIN_TTL) < 0 || ttl.compareTo(MAX_TTL) > 0) {
      throw new IllegalArgumentException(
          "the ttl of a reservation must be 1s to 1h, got %ds".formatted(ttl.toSeconds()));
    }
    return ttl;
  }

  /** Returns these settings with another time to live. */
  public ReservationSettings withTtl(Duration other) {
    return new ReservationSettings(other, maxSharePermille, defaultCost, excess, onExpiry, maxDebt);
  }

  /** Returns these settings with another largest part, in thousandths of the capacity. */
  public ReservationSettings withMaxShare(int permille) {
    return new ReservationSettings(ttl, permille, defaultCost, excess, onExpiry, maxDebt);
  }

  /** Returns these settings with another default cost. */
  public ReservationSettings withDefaultCost(long cost) {
    return new ReservationSettings(
        ttl, maxSharePermille, OptionalLong.of(cost), excess, onExpiry, maxDebt);
  }

  /** Returns these settings with another treatment of estimates that are too high. */
  public ReservationSettings withExcess(Excess other) {
    return new ReservationSettings(ttl, maxSharePermille, defaultCost, other, onExpiry, maxDebt);
  }

  /** Returns these settings with another charge of reservations that expire. */
  public ReservationSettings withOnExpiry(OnExpiry other) {
    return new ReservationSettings(ttl, maxSharePermille, defaultCost, excess, other, maxDebt);
  }

  /** Returns these settings with another highest debt. */
  public ReservationSettings withMaxDebt(Duration time) {
    return new ReservationSettings(
        ttl, maxSharePermille, defaultCost, excess, onExpiry, Optional.of(time));
  }

  /**
   * Returns the highest debt of a limit in microseconds.
   *
   * @param window the time in which the whole capacity is repaid, in microseconds
   */
  long maxDebtMicros(long window) {
    return maxDebt.map(time -> time.toNanos() / 1_000).orElse(DEBT_WINDOWS * window);
  }

  /**
   * Returns the largest number of permits that one reservation may hold of a limit: at least 1, so
   * that a small limit can be reserved at all.
   */
  public long maxAmount(long capacity) {
    long whole = capacity / 1_000 * maxSharePermille;
    return Math.max(1, whole + capacity % 1_000 * maxSharePermille / 1_000);
  }
}
