package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.CheckResult;
import io.headgate.ClientLease;
import io.headgate.Costs;
import io.headgate.RateLimiter;
import io.headgate.Reservation;
import io.headgate.ReservationState;
import io.headgate.Reservations;
import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import io.headgate.rule.InvalidCostException;
import io.headgate.rule.Request;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import io.headgate.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Runs random operations of every verb against a store and against the one in memory, and requires
 * the same results: checks, peeks, slots, leases, usage, reservations and all that happens to them,
 * resets, expiry, and changes of the rules in between. Reproducible from the seed.
 */
final class VerbHistory {
  private static final int MAX_OPEN = 12;
  private static final Duration SOON = Duration.ofSeconds(60);

  /** What one operation created, by the id that each store gave it. */
  private record Ids(String tested, String reference, Request request) {}

  private final RateLimiter tested;
  private final RateLimiter reference;
  private final ManualTicker clock;
  private final String name;
  private final Random random;
  private final List<RuleSet> revisions;
  private final List<Ids> reservations = new ArrayList<>();
  private final List<Ids> slots = new ArrayList<>();
  private final List<Ids> leases = new ArrayList<>();
  private final List<String> operations = new ArrayList<>();

  /**
   * Creates a history.
   *
   * @param store an empty store with this clock
   */
  VerbHistory(Store store, ManualTicker clock, int number) {
    this.clock = clock;
    this.name = "VerbHistory " + number;
    this.random = new Random(ReleaseSeed.of(name));
    this.revisions = new VerbRules(random).revisions(4);
    var memory = MemoryStore.create(clock, MemoryStore.DEFAULT_MAX_KEYS);
    this.tested = RateLimiter.with(store, revisions.getFirst(), clock);
    this.reference = RateLimiter.with(memory, revisions.getFirst(), clock);
  }

  /** Runs this many operations. */
  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      advanceClock();
      expire();
      operate();
      var peek = request();
      same("peek " + peek, text(tested.peek(peek)), text(reference.peek(peek)));
    }
  }

  /** At least by a microsecond, so that no two reservations expire at the same time. */
  private void advanceClock() {
    long micros =
        switch (random.nextInt(12)) {
          case 0, 1, 2, 3, 4 -> 1;
          case 5, 6, 7 -> 1 + random.nextLong(1_000);
          case 8, 9, 10 -> 1 + random.nextLong(1_000_000);
          default -> 1 + random.nextLong(20_000_000);
        };
    clock.set(clock.micros() + micros);
  }

  private void operate() {
    if (random.nextInt(25) == 0) {
      int revision = random.nextInt(revisions.size());
      both(
          "rules " + revision,
          limiter -> {
            limiter.replaceRules(revisions.get(revision));
            return "";
          });
    }
    switch (random.nextInt(16)) {
      case 0, 1, 2 -> check();
      case 3 -> checkAll();
      case 4, 5 -> usage();
      case 6, 7, 8 -> reserve();
      case 9, 10, 11, 12 -> changeReservation();
      case 13 -> changeSlot();
      case 14 -> lease();
      default -> {
        if (random.nextInt(4) == 0) reset();
        else explain();
      }
    }
  }

  private void check() {
    var request = request();
    var first = tested.checkForResult(request);
    var other = reference.checkForResult(request);
    same("check " + request, text(first), text(other));
    keep(slots, first.slotId(), other.slotId(), request);
  }

  private void checkAll() {
    var requests = Stream.generate(this::request).limit(1 + random.nextInt(3)).toList();
    both(
        "check all " + requests,
        limiter -> {
          var result = limiter.checkAll(requests);
          // Slots of joint requests are not released, and expire.
          return result.isAllowed() + " " + result.each().stream().map(VerbHistory::text).toList();
        });
  }

  private void usage() {
    var request = request();
    both("usage " + request, limiter -> text(limiter.charge(request)));
  }

  private void explain() {
    var subject = request().subject();
    both(
        "explain " + subject,
        limiter ->
            limiter.explain(subject).stream()
                .map(rule -> rule.remaining() + " " + rule.limits())
                .toList());
  }

  private void reset() {
    var subject = request().subject();
    var rule = "r" + random.nextInt(2);
    both("reset " + subject + " of " + rule, limiter -> limiter.reset(subject, rule));
  }

  private void reserve() {
    var request = request();
    var ttl = Duration.ofSeconds(1 + random.nextInt(20));
    var first = tested.reserve(request, ttl);
    var other = reference.reserve(request, ttl);
    same("reserve " + request + " for " + ttl, text(first), text(other));
    keep(reservations, first.id(), other.id(), request);
  }

  private static String text(Reservation reservation) {
    return "%s until %s, %s, %s"
        .formatted(
            text(reservation.result()),
            reservation.expiresAt(),
            reservation.limits(),
            reservation.reserved());
  }

  private void changeReservation() {
    if (reservations.isEmpty()) return;
    var one = reservations.get(random.nextInt(reservations.size()));
    var used = used();
    switch (random.nextInt(6)) {
      case 0, 1, 2 -> {
        var more = random.nextInt(3) == 0 ? used() : Costs.NONE;
        sameState(
            "update by " + used + " and " + more, one, (all, id) -> all.update(id, used, more));
      }
      case 3, 4 -> sameState("settle " + used, one, (all, id) -> all.settle(id, used));
      default -> sameState("cancel", one, (all, id) -> all.cancel(id));
    }
  }

  private interface Operation {
    ReservationState on(Reservations reservations, String id);
  }

  private void sameState(String what, Ids ids, Operation operation) {
    same(
        what + " of " + ids.request,
        stateOrError(operation, tested.reservations(), ids.tested),
        stateOrError(operation, reference.reservations(), ids.reference));
  }

  /** Returns the state after an operation, or why the reservation has none of its costs. */
  private static Object stateOrError(Operation operation, Reservations reservations, String id) {
    try {
      return operation.on(reservations, id);
    } catch (InvalidCostException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** A store lists reservations in the background, so one that is due may be found later. */
  private void expire() {
    int due = await(reference.reservations().expireDue());
    if (due == 0) return;
    operations.add("%d: expiry of %d".formatted(clock.micros(), due));
    var found = new int[1];
    Eventually.holds(
        due + " reservations expired",
        SOON,
        () -> {
          found[0] += await(tested.reservations().expireDue());
          return found[0] >= due;
        });
  }

  private void changeSlot() {
    if (slots.isEmpty()) return;
    var one = slots.get(random.nextInt(slots.size()));
    var outcomes = CallOutcome.values();
    var outcome = outcomes[random.nextInt(outcomes.length)];
    var call = new CompletedCall(outcome, random.nextLong(2_000_000));
    int kind = random.nextInt(3);
    Function<RateLimiter, Function<String, Boolean>> operation =
        limiter ->
            switch (kind) {
              case 0 -> limiter::renew;
              case 1 -> limiter::release;
              default -> id -> limiter.release(id, call);
            };
    same(
        "slot operation " + kind + " of " + one.request,
        operation.apply(tested).apply(one.tested),
        operation.apply(reference).apply(one.reference));
  }

  private void lease() {
    var one = leases.isEmpty() ? null : leases.removeLast();
    long used = random.nextInt(4);
    if (one == null) {
      var request = request();
      sameLease(
          "lease for " + request,
          await(tested.leases().acquireAsync(request, 20)),
          await(reference.leases().acquireAsync(request, 20)),
          request);
    } else if (random.nextBoolean()) {
      sameLease(
          "renewal after " + used + " of " + one.request,
          await(tested.leases().renewAsync(one.tested, one.request, used, 20)),
          await(reference.leases().renewAsync(one.reference, one.request, used, 20)),
          one.request);
    } else {
      operations.add("release of a lease after " + used + " of " + one.request);
      await(tested.leases().releaseAsync(one.tested, one.request, used));
      await(reference.leases().releaseAsync(one.reference, one.request, used));
    }
  }

  private void sameLease(String what, ClientLease first, ClientLease other, Request request) {
    same(what, text(first), text(other));
    if (first instanceof ClientLease.Granted mine && other instanceof ClientLease.Granted its) {
      keep(leases, Optional.of(mine.id()), Optional.of(its.id()), request);
    }
  }

  private static String text(ClientLease lease) {
    return switch (lease) {
      case ClientLease.Granted granted ->
          granted.checks() + " for " + granted.ttl() + " " + text(granted.result());
      case ClientLease.None none -> none.reason() + none.result().map(VerbHistory::text);
    };
  }

  private void keep(List<Ids> ids, Optional<String> first, Optional<String> other, Request of) {
    if (first.isEmpty() || other.isEmpty()) return;
    ids.add(new Ids(first.get(), other.get(), of));
    if (ids.size() > MAX_OPEN) ids.remove(random.nextInt(MAX_OPEN));
  }

  /** Costs are small, and now and then far beyond every limit. */
  private long cost() {
    return switch (random.nextInt(12)) {
      case 0 -> 0;
      case 1 -> 1 + random.nextLong(100);
      case 2 -> random.nextInt(4) == 0 ? 1 + random.nextLong(1_000_000_000) : 7;
      default -> 1 + random.nextLong(12);
    };
  }

  private Request request() {
    var subject =
        Subject.of(Map.of("key", "k" + random.nextInt(3), "user", "u" + random.nextInt(4)));
    var named = random.nextInt(8) == 0 ? Map.<String, Long>of() : Map.of("tokens", cost());
    return new Request(subject, cost(), named);
  }

  private Costs used() {
    return switch (random.nextInt(4)) {
      case 0 -> Costs.plain(cost());
      case 1 -> Costs.of("tokens", cost());
      default -> new Costs(OptionalLong.of(cost()), Map.of("tokens", cost()));
    };
  }

  private static String text(CheckResult result) {
    return "%s, %s, violated %s and %s, slot %b"
        .formatted(
            result,
            result.limits(),
            result.violated(),
            result.shadowViolated(),
            result.slotId().isPresent());
  }

  private <T> void both(String what, Function<RateLimiter, T> operation) {
    same(what, operation.apply(tested), operation.apply(reference));
  }

  private void same(String what, Object actual, Object expected) {
    operations.add("%d: %s: %s".formatted(clock.micros(), what, expected));
    assertThat(actual)
        .as(() ->
            "%s, seed %d, rules %s, after%n%s"
                .formatted(
                    name,
                    ReleaseSeed.of(name),
                    reference.rules().rules(),
                    String.join(
                        System.lineSeparator(),
                        operations.subList(
                            Math.max(0, operations.size() - 40), operations.size()))))
        .isEqualTo(expected);
  }

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
