package io.headgate.simulation;

import io.headgate.RateLimiter;
import io.headgate.Reservation;
import io.headgate.ReservationState;
import io.headgate.ReservationState.Expired;
import io.headgate.ReservationState.Open;
import io.headgate.ReservationState.Settled;
import io.headgate.ReservationState.Unknown;
import io.headgate.ReservedLimit;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.TokenBucket;
import io.headgate.reservation.ReservationCommand;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The oracle of reservations, written from their definition. At every step: the permits that are
 * reserved or charged for reservations are within the guarantee of each limit, apart from usage
 * beyond a reservation; each reply has the charges of the model; a settlement is charged once; and
 * a fixed window that does not end has exactly the permits left that the model computes.
 */
final class ReservationModel {
  /**
   * Permits that were charged at one time.
   *
   * @param isExcess whether they were used beyond the reservation, without a check
   */
  private record Piece(long at, long amount, boolean isExcess) {}

  /** Permits of a team that an instance has spent from its hold. */
  private record Spent(String team, long at, long amount) {}

  /** One reservation. */
  static final class Modelled {
    final int number;
    final String id;
    final String team;
    private final List<Piece> pieces = new ArrayList<>(); // oldest first
    long used = -1;
    long expiresAt;
    boolean expired;
    boolean settled;

    Modelled(int number, String id, String team) {
      this.number = number;
      this.id = id;
      this.team = team;
    }

    long charged() {
      return pieces.stream().mapToLong(Piece::amount).sum();
    }

    /** Returns the newest permits first, or charges the difference without a check. */
    void correctTo(long target, long now) {
      long charged = charged();
      if (target > charged) pieces.add(new Piece(now, target - charged, true));
      for (long rest = charged - target; rest > 0; ) {
        var last = pieces.removeLast();
        long back = Math.min(rest, last.amount);
        if (back < last.amount) pieces.add(new Piece(last.at, last.amount - back, last.isExcess));
        rest -= back;
      }
    }

    @Override
    public String toString() {
      return "reservation %d (%d charged%s%s)"
          .formatted(number, charged(), expired ? ", expired" : "", settled ? ", settled" : "");
    }
  }

  private final Limit team;
  private final Limit model;
  private final ReservationSettings settings;
  private final List<Modelled> all = new ArrayList<>();
  private final List<Spent> spent = new ArrayList<>();
  private @Nullable String failure;

  ReservationModel(RuleSet rules) {
    this.team = rules.rules().getFirst().limits().getFirst().limit();
    this.model = rules.rules().getLast().limits().getFirst().limit();
    this.settings = rules.rules().getFirst().reservation();
  }

  @Nullable String failure() {
    return failure;
  }

  private void require(boolean holds, String what, @Nullable Object... values) {
    if (!holds && failure == null) failure = what.formatted(values);
  }

  private boolean isExact() {
    return team instanceof FixedWindow window && window.window() >= 3_600 * Workload.SECOND;
  }

  private long charged(@Nullable String name) {
    return all.stream()
        .filter(one -> name == null || one.team.equals(name))
        .mapToLong(Modelled::charged)
        .sum();
  }

  /** Returns the model of a reservation that was made; empty if it was denied. */
  Optional<Modelled> reserve(
      long now, Request request, Reservation reservation, RateLimiter limiter) {
    String name = Objects.requireNonNull(request.subject().attributes().get("team"));
    long cost = Objects.requireNonNull(request.costs().get("tokens"));
    if (isExact()) {
      boolean fits =
          charged(name) + cost <= team.capacity() && charged(null) + cost <= model.capacity();
      require(
          reservation.isAllowed() == fits,
          "a reservation of %d was %s, with %d of %d charged to %s and %d of %d in all",
          cost,
          reservation.isAllowed() ? "allowed" : "denied",
          charged(name),
          team.capacity(),
          name,
          charged(null),
          model.capacity());
    }
    if (!reservation.isAllowed()) return Optional.empty();
    var made = new Modelled(all.size() + 1, reservation.id().orElseThrow(), name);
    made.pieces.add(new Piece(now, cost, false));
    made.expiresAt = now + settings.ttl().toNanos() / 1_000;
    all.add(made);
    verify(now, name, limiter);
    return Optional.of(made);
  }

  void update(
      long now, Modelled one, long used, long more, ReservationState state, RateLimiter limiter) {
    if (!isKnown(now, one, state)) return;
    if (one.settled || one.expired) {
      require(
          one.settled ? state instanceof Settled : state instanceof Expired,
          "an update of %s returned %s",
          one,
          state);
      requireCharges(one, state);
      return;
    }
    one.used = Math.max(one.used, used);
    if (one.used > one.charged()) one.correctTo(one.used, now);
    one.expiresAt = Math.max(one.expiresAt, now + settings.ttl().toNanos() / 1_000);
    if (!(state instanceof Open open)) {
      require(false, "an update of %s returned %s", one, state);
      return;
    }
    if (open.grown()) one.pieces.add(new Piece(now, more, false));
    requireCharges(one, state);
    verify(now, one.team, limiter);
  }

  /** An instance spends permits that it holds. */
  void spend(long now, Map<String, String> subject, long amount, RateLimiter limiter) {
    var name = Objects.requireNonNull(subject.get("team"));
    spent.add(new Spent(name, now, amount));
    verify(now, name, team, limiter, "team");
  }

  void settle(long now, Modelled one, long actual, ReservationState state, RateLimiter limiter) {
    if (!isKnown(now, one, state)) return;
    if (!one.settled) one.correctTo(actual, now);
    one.settled = true;
    require(state instanceof Settled, "a settlement of %s returned %s", one, state);
    requireCharges(one, state);
    verify(now, one.team, limiter);
  }

  /** Ends the reservations that an instance has found expired. */
  void expire(long now, int found, RateLimiter limiter) {
    int due = 0;
    for (var one : all) {
      if (one.settled || one.expired || one.expiresAt > now) continue;
      one.expired = true;
      due++;
      one.correctTo(
          switch (settings.onExpiry()) {
            case CHARGE_USED -> Math.max(0, one.used);
            case CHARGE_RESERVED -> Math.max(one.charged(), one.used);
            case RELEASE -> 0;
          },
          now);
    }
    require(found == due, "%d reservations were found expired, expected %d", found, due);
    if (due > 0) all.stream().map(one -> one.team).distinct().forEach(t -> verify(now, t, limiter));
  }

  /** At the end every reservation has been settled or has expired. */
  void ended(long now, RateLimiter limiter) {
    for (var one : all) {
      require(one.settled || one.expired || one.expiresAt > now, "%s is still open", one);
    }
    long open = all.stream().filter(one -> !one.settled && !one.expired).count();
    require(
        limiter.reservations().openCount() == open,
        "the store has %d open reservations, expected %d",
        limiter.reservations().openCount(),
        open);
  }

  private boolean isKnown(long now, Modelled one, ReservationState state) {
    boolean known = now <= one.expiresAt + ReservationCommand.KEPT_MICROS;
    require(
        known != state instanceof Unknown,
        "an operation on %s, which %s known, returned %s",
        one,
        known ? "is" : "is not",
        state);
    return known;
  }

  private void requireCharges(Modelled one, ReservationState state) {
    for (var limit : limits(state)) {
      require(
          limit.charged() == one.charged(), "%s: %s has %d", one, limit.rule(), limit.charged());
    }
  }

  private static List<ReservedLimit> limits(ReservationState state) {
    return switch (state) {
      case Open open -> open.limits();
      case Settled settled -> settled.limits();
      case Expired expired -> expired.limits();
      case ReservationState.Local local -> List.of();
      case Unknown unknown -> List.of();
    };
  }

  private void verify(long now, String name, RateLimiter limiter) {
    verify(now, name, team, limiter, "team");
    verify(now, null, model, limiter, "model");
  }

  private void verify(
      long now, @Nullable String name, Limit limit, RateLimiter limiter, String rule) {
    var admitted = new ArrayList<AdmissionBounds.Admitted>();
    var charged = new ArrayList<AdmissionBounds.Admitted>();
    for (var one : all) {
      if (name != null && !one.team.equals(name)) continue;
      for (var piece : one.pieces) {
        charged.add(new AdmissionBounds.Admitted(piece.at, piece.amount));
        if (!piece.isExcess) admitted.add(new AdmissionBounds.Admitted(piece.at, piece.amount));
      }
    }
    for (var one : spent) {
      if (!one.team.equals(name)) continue;
      admitted.add(new AdmissionBounds.Admitted(one.at, one.amount));
      charged.add(new AdmissionBounds.Admitted(one.at, one.amount));
    }
    long excess = AdmissionBounds.excess(limit, admitted);
    require(excess == 0, "%s %s: %d permits more than %s allows", rule, name, excess, limit);
    if (limit instanceof TokenBucket bucket && !all.isEmpty()) {
      var left = remaining(limiter, rule, name == null ? all.getFirst().team : name);
      long most = AdmissionBounds.left(bucket, charged, now);
      require(
          left.isEmpty() || left.getAsLong() <= most,
          "%s %s: %s left, and %d of a bucket that was charged the same",
          rule,
          name,
          left,
          most);
    }
    if (!isExact()) return;
    var left = remaining(limiter, rule, name == null ? all.getFirst().team : name);
    require(
        left.equals(OptionalLong.of(Math.max(0, limit.capacity() - charged(name)))),
        "%s %s: %s left, and %d of %d are charged",
        rule,
        name,
        left,
        charged(name),
        limit.capacity());
  }

  private static OptionalLong remaining(RateLimiter limiter, String rule, String name) {
    var subject = io.headgate.rule.Subject.of("team", name);
    return limiter.peek(subject).limits().stream()
        .filter(limit -> limit.rule().equals(rule))
        .mapToLong(limit -> limit.remaining())
        .findFirst();
  }
}
