package io.headgate.redis;

import io.headgate.Costs;
import io.headgate.RateLimiter;
import io.headgate.Reservation;
import io.headgate.ReservationState.Settled;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * An instance in a separate process. Makes reservations of one token each, all at once, when it
 * reads a line. Prints how many were admitted. Settles them when it reads another line, every
 * second one at 1 and the others at 0, twice each, and prints how many tokens were charged.
 */
final class ReservingInstance {
  static final int LIMIT = 6_000;
  static final int RESERVATIONS = 2_000;
  static final String READY = "ready";
  static final Subject TEAM = Subject.of("team", "red");

  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private ReservingInstance() {}

  static RateLimiter limiter(String uri, Duration ttl) {
    var rule =
        Rule.named("tokens")
            .match("team", "*")
            .limit(RuleLimit.of("tokens", FixedWindow.of(Rate.perDay(LIMIT))).withCost("tokens"))
            .reservation(ReservationSettings.DEFAULT.withTtl(ttl))
            .build();
    var options = RedisOptions.builder(uri).deadline(DEADLINE).build();
    return RateLimiter.with(RedisStore.connect(options), RuleSet.of(rule));
  }

  static Request tokens(long count) {
    return new Request(TEAM, 1, Map.of("tokens", count));
  }

  private static List<Reservation> reserve(RateLimiter limiter) {
    var calls = new ArrayList<CompletableFuture<Reservation>>();
    for (int i = 0; i < RESERVATIONS; i++) {
      calls.add(limiter.reserveAsync(tokens(1)).toCompletableFuture());
    }
    return calls.stream().map(CompletableFuture::join).filter(Reservation::isAllowed).toList();
  }

  private static long settle(List<Reservation> reservations) {
    var calls = new ArrayList<CompletableFuture<Long>>();
    for (int i = 0; i < reservations.size(); i++) {
      var reservation = reservations.get(i);
      var actual = Costs.of("tokens", i % 2);
      calls.add(
          reservation
              .settleAsync(actual)
              .thenCompose(first -> reservation.settleAsync(actual))
              .thenApply(state -> ((Settled) state).limits().getFirst().charged())
              .toCompletableFuture());
    }
    return calls.stream().mapToLong(CompletableFuture::join).sum();
  }

  /**
   * Runs the instance.
   *
   * @param arguments the URI of Redis and the time to live of reservations in seconds
   */
  public static void main(String[] arguments) throws IOException {
    var ttl = Duration.ofSeconds(Long.parseLong(arguments[1]));
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (var limiter = limiter(arguments[0], ttl)) {
      System.out.println(READY);
      if (lines.readLine() == null) return;
      var reservations = reserve(limiter);
      System.out.println(reservations.size());
      if (lines.readLine() == null) return;
      System.out.println(settle(reservations));
    }
  }
}
