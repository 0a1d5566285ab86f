package io.headgate.testkit;

import io.headgate.Costs;
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
import io.headgate.limit.Rate;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Limiters, requests and readings of the contracts of reservations, each with a limit of tokens.
 */
abstract class ReservedTokens extends StoreScenario {
  static final Duration HOUR = Duration.ofHours(1);
  static final Subject USER = Subject.of("user:1");

  /** The limits whose charges follow the real cost, each of 1,000 permits. */
  static Stream<Limit> correctable() {
    return Stream.of(
        TokenBucket.of(Rate.of(1_000, HOUR)),
        FixedWindow.of(Rate.of(1_000, HOUR)),
        SlidingWindow.of(Rate.of(1_000, HOUR)));
  }

  /** Returns a limiter with one rule that spends tokens. */
  final RateLimiter limiter(Limit limit) {
    return limiter(tokens(limit).build());
  }

  final RateLimiter limiter(Rule... rules) {
    return RateLimiter.with(open(), RuleSet.of(rules), clock);
  }

  static Rule.Builder tokens(Limit limit) {
    return Rule.named("tokens")
        .match("key", "*")
        .limit(RuleLimit.of("tokens", limit).withCost("tokens"));
  }

  static Request tokens(long count) {
    return new Request(USER, 1, Map.of("tokens", count));
  }

  static Costs used(long count) {
    return Costs.of("tokens", count);
  }

  static long left(RateLimiter limiter) {
    return limiter.peek(tokens(1)).limits().getFirst().remaining();
  }

  static String id(Reservation reservation) {
    return reservation.id().orElseThrow();
  }

  static List<Long> charged(ReservationState state) {
    return limits(state).stream().map(ReservedLimit::charged).toList();
  }

  static List<ReservedLimit> limits(ReservationState state) {
    return switch (state) {
      case Open open -> open.limits();
      case Settled settled -> settled.limits();
      case Expired expired -> expired.limits();
      case ReservationState.Local local -> List.of();
      case Unknown unknown -> List.of();
    };
  }

  static int expire(RateLimiter limiter) {
    return limiter.reservations().expireDue().toCompletableFuture().join();
  }

  static List<Long> remaining(RateLimiter limiter, Subject subject) {
    return limiter.peek(new Request(subject, 1, Map.of("tokens", 1L))).limits().stream()
        .map(limit -> limit.remaining())
        .toList();
  }
}
