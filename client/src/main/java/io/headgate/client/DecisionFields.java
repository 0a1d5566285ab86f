package io.headgate.client;

import io.headgate.Costs;
import io.headgate.Decision;
import io.headgate.rule.Request;
import io.headgate.store.Source;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The members of a decision while it is parsed. Not thread-safe. */
final class DecisionFields {
  Optional<Boolean> allowed = Optional.empty();
  Optional<String> rule = Optional.empty();
  Optional<Long> limit = Optional.empty();
  Optional<Long> remaining = Optional.empty();
  Optional<Duration> retryAfter = Optional.empty();
  Optional<Duration> resetAfter = Optional.empty();
  Optional<Duration> delay = Optional.empty();
  Optional<String> source = Optional.empty();
  Optional<String> slotId = Optional.empty();
  List<String> violated = List.of();
  List<RemoteLimit> limits = List.of();
  List<String> unusedCosts = List.of();
  boolean impossible;

  /** Of a permit lease: the number of checks, the time to live, and whether a refusal lasts. */
  Optional<Long> checks = Optional.empty();

  Optional<Duration> ttl = Optional.empty();
  boolean lasting;

  /** Of a reservation: the granted costs, the requested ones if they are others, and the expiry. */
  Costs reserved = Costs.NONE;

  Optional<Costs> requested = Optional.empty();
  Optional<Instant> expiresAt = Optional.empty();

  /**
   * Returns the result of a request.
   *
   * @throws IOException if the members contradict each other or the source is unknown
   */
  RemoteResult result(Request request) throws IOException {
    return result(request, slotId);
  }

  private RemoteResult result(Request request, Optional<String> slots) throws IOException {
    return new RemoteResult(
        decision(request), rule, source(), violated, limits, slots, Optional.empty(), unusedCosts);
  }

  /**
   * Returns a reservation; its id is not that of slots.
   *
   * @throws IOException as {@link #result}, and if an allowed reservation has no id or no expiry
   */
  RemoteReservation reservation(Request request, RemoteReservations reservations)
      throws IOException {
    var result = result(request, Optional.empty());
    if (!result.isAllowed()) return RemoteReservation.withoutService(reservations, result);
    if (slotId.isEmpty()) throw ReservationStateJson.missing("id");
    if (expiresAt.isEmpty()) throw ReservationStateJson.missing("expiresAtMs");
    return new RemoteReservation(
        reservations, result, slotId, expiresAt, reserved, requested.orElse(reserved));
  }

  private Decision decision(Request request) throws IOException {
    if (allowed.isEmpty()) throw new IOException("the member 'allowed' is missing");
    var reset = resetAfter.orElse(Duration.ZERO);
    if (!allowed.get()) {
      return impossible
          ? impossible(request, limit.orElse(0L))
          : new Decision.Denied(shortest(retryAfter.orElse(Decision.Denied.ENDLESS)));
    }
    long left =
        remaining.orElse(limit.isPresent() ? Decision.Allowed.UNKNOWN : Decision.Allowed.UNLIMITED);
    return delay.isPresent() && !delay.get().isZero()
        ? new Decision.Delayed(shortest(delay.get()), left, reset)
        : new Decision.Allowed(left, reset);
  }

  /**
   * The response has no cost; it is the plain cost, or a named one if that exceeds the capacity.
   */
  private static Decision impossible(Request request, long capacity) {
    long named = request.costs().values().stream().mapToLong(Long::longValue).max().orElse(0);
    return new Decision.Impossible(request.cost() > capacity ? request.cost() : named, capacity);
  }

  private static Duration shortest(Duration time) {
    return time.compareTo(Decision.Denied.ENDLESS) < 0 ? time : Decision.Denied.ENDLESS;
  }

  private Source source() throws IOException {
    return switch (source.orElse("")) {
      case "store" -> Source.STORE;
      case "lease" -> Source.LEASE;
      case "cache" -> Source.CACHE;
      case "fallback" -> Source.FALLBACK;
      case "region" -> Source.REGION;
      default -> throw new IOException("the source '%s' is unknown".formatted(excerpt()));
    };
  }

  private String excerpt() {
    return source.map(text -> text.substring(0, Math.min(20, text.length()))).orElse("");
  }
}
