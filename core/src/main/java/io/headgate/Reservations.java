package io.headgate;

import io.headgate.limit.SlotLimit;
import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationCommand.Action;
import io.headgate.reservation.ReservationReply;
import io.headgate.rule.Charge;
import io.headgate.rule.InvalidCostException;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import io.headgate.store.BatchScope;
import io.headgate.store.Budget;
import io.headgate.store.PlanResult;
import io.headgate.store.ReservationStore;
import io.headgate.store.ReservedPlan;
import io.headgate.store.Source;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reserves permits for requests whose real cost is known only when they are over, and settles them
 * by id, on any instance that shares the store.
 *
 * <p>A reservation charges its estimate at once, atomically in every limit of every rule that
 * matches, so that no limit admits more than it has. A settlement charges the real cost and returns
 * the rest; a cost above the reservation becomes debt of the limit. An id that is forged, or whose
 * reservation ended more than ten minutes ago, is {@link ReservationState.Unknown}.
 *
 * <p>Rules of every consistency mode are reserved strictly, in the store. While the store is
 * unavailable each rule's {@code on-store-failure} decides, and operations on such a reservation
 * are {@link ReservationState.Local}.
 *
 * <p>Thread-safe. The methods named {@code …Async} never block. Operations fail with a {@link
 * StoreException} if the store does, and can be repeated then. They fail with an {@link
 * InvalidCostException}, and change nothing, if a reported cost is not one of the reservation's.
 * They throw {@link UnsupportedOperationException} if the store does not keep reservations.
 */
public final class Reservations {
  /** After this time the expiry of a reservation is tried again whose store was unavailable. */
  private static final long POSTPONED_MICROS = 30_000_000;

  private final Store store;
  private final Function<Request, Plan> plans;
  private final TokenReader tokens;
  private final ReservedCounters counters;

  Reservations(
      Store store, Function<Request, Plan> plans, TokenReader tokens, ReservedCounters counters) {
    this.store = store;
    this.plans = plans;
    this.tokens = tokens;
    this.counters = counters;
  }

  /** Waits for a stage; throws the {@link StoreException} that it fails with. */
  static <T> T await(CompletionStage<T> stage) {
    BatchScope.flush();
    try {
      return stage.toCompletableFuture().get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException known) throw known;
      throw new StoreException(Kind.OTHER, String.valueOf(e.getCause()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException(Kind.INTERRUPTED, "the caller was interrupted", e);
    }
  }

  /**
   * Reserves as {@link RateLimiter#reserve(Request, Duration)} does, without blocking the calling
   * thread.
   */
  CompletionStage<Reservation> reserveAsync(Request request, Duration ttl) {
    var reservations = tokens.store();
    var wanted = ReservationPlan.of(plans.apply(request), request, ttl);
    var plan = wanted.plan();
    if (plan.hasNoCharges()) return withoutCharges(wanted);
    boolean holds = plan.charges().stream().anyMatch(charge -> charge.cost() > 0);
    if (holds && reservations.isFull())
      return CompletableFuture.failedStage(ReservationStore.full());
    if (ReservationToken.lengthOf(plan.charges()) > ReservationToken.MAX_NEW_LENGTH) {
      return CompletableFuture.failedStage(tooManyLimits(plan));
    }
    return tokens
        .secret()
        .thenCompose(secret ->
            reservations
                .reserve(plan.stored())
                .thenCompose(made -> open(reservations, wanted, made, secret)));
  }

  private Reservation denied(Plan plan, PlanResult result) {
    return new Reservation(
        this, new CheckResult(plan, result, true), Optional.empty(), Optional.empty(), List.of());
  }

  /** A request without limits has an id all the same, so that clients need no special case. */
  private CompletionStage<Reservation> withoutCharges(ReservationPlan wanted) {
    var plan = wanted.plan();
    var result = new CheckResult(plan, plan.isShed() ? PlanResult.SHED : PlanResult.EMPTY, true);
    if (!result.isAllowed()) {
      return CompletableFuture.completedStage(
          new Reservation(this, result, Optional.empty(), Optional.empty(), List.of()));
    }
    return tokens
        .secret()
        .thenApply(secret -> {
          var token = tokens.create(secret, false, tokens.now(), wanted.ttl(), 0, List.of());
          return reservation(result, token, secret, List.of());
        });
  }

  private CompletionStage<Reservation> open(
      ReservationStore reservations, ReservationPlan wanted, ReservedPlan made, byte[] secret) {
    var plan = wanted.plan();
    var decided = wanted.result(made.result());
    var result = new CheckResult(plan, decided, true);
    if (!result.isAllowed()) return CompletableFuture.completedStage(denied(plan, decided));
    boolean local = made.result().source() == Source.FALLBACK;
    var charged = plan.charged(made.result().outcomes());
    var refs = new ArrayList<ReservationToken.ChargeRef>();
    var limits = new ArrayList<ReservedLimit>();
    long at = local ? tokens.now() : 0;
    long holder = 0;
    for (var part : plan.parts()) {
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var charge = plan.charges().get(i);
        if (!charged[i]) continue;
        boolean isSlot = charge.limit() instanceof SlotLimit;
        if (isSlot) holder = charge.holder();
        var receipt = local ? null : made.receipts().get(i);
        if (receipt != null) at = Math.max(at, receipt.at());
        if (receipt != null || (isSlot && local)) refs.add(ref(part, charge, receipt));
        limits.add(
            counters.limit(
                charge,
                wanted.requested(i),
                charge.cost(),
                made.result().outcomes().get(i).remaining(),
                !local));
      }
    }
    var token = tokens.create(secret, local, at, wanted.ttl(), holder, refs);
    var reservation = reservation(result, token, secret, limits);
    if (local || token.holdsNothing()) return CompletableFuture.completedStage(reservation);
    return reservations
        .open(token.nonce(), reservation.id().orElseThrow(), token.expiresAt(), counters.of(token))
        .thenApply(listed -> {
          if (!listed) throw ReservationStore.full();
          return reservation;
        });
  }

  private ReservationToken.ChargeRef ref(
      Plan.Part part, Charge charge, ReservedPlan.@Nullable Receipt receipt) {
    var counter = charge.counter();
    return new ReservationToken.ChargeRef(
        counter.rule(),
        part.override(),
        counter.id(),
        charge.key(),
        charge.cost(),
        receipt == null ? 0 : receipt.at(),
        receipt == null ? 0 : receipt.freshAt(),
        counters.fingerprint(charge));
  }

  private Reservation reservation(
      CheckResult result, ReservationToken token, byte[] secret, List<ReservedLimit> limits) {
    return new Reservation(
        this,
        result,
        Optional.of(token.seal(secret)),
        Optional.of(instant(token.expiresAt())),
        limits);
  }

  private static StoreException tooManyLimits(Plan plan) {
    return new StoreException(
        Kind.FULL,
        "the id of this reservation would be longer than %d characters: %d limits apply to it, with long keys; use fewer rules or shorter attributes"
            .formatted(ReservationToken.MAX_NEW_LENGTH, plan.charges().size()),
        null);
  }

  /** Returns the bounds on what reservations take in this process and in the store. */
  public List<Budget> budgets() {
    return store.reservations().map(ReservationStore::budgets).orElse(List.of());
  }

  /** Updates as {@link Reservation#update(Costs, Costs)} does. */
  public ReservationState update(String id, Costs usedSoFar, Costs more) {
    return await(updateAsync(id, usedSoFar, more));
  }

  /** Updates as {@link Reservation#update(Costs, Costs)} does, without blocking. */
  public CompletionStage<ReservationState> updateAsync(String id, Costs usedSoFar, Costs more) {
    return updateAsync(id, usedSoFar, more, ReservationSettings.MAX_TTL);
  }

  /**
   * Updates as {@link Reservation#update(Costs, Costs)} does, without blocking.
   *
   * @param ttl the time by which to extend the reservation, at most that which it was made with
   * @throws IllegalArgumentException if {@code ttl} is shorter than a second or longer than an hour
   */
  public CompletionStage<ReservationState> updateAsync(
      String id, Costs usedSoFar, Costs more, Duration ttl) {
    return apply(
        id,
        Action.UPDATE,
        ReservationSettings.requireTtl(ttl),
        List.of(usedSoFar, more),
        charge -> usedSoFar.of(charge.counter(), ReservationCommand.UNREPORTED),
        charge -> more.of(charge.counter(), 0));
  }

  /** Settles as {@link Reservation#settle} does. */
  public ReservationState settle(String id, Costs actual) {
    return await(settleAsync(id, actual));
  }

  /** Settles as {@link Reservation#settle} does, without blocking the calling thread. */
  public CompletionStage<ReservationState> settleAsync(String id, Costs actual) {
    return apply(
        id,
        Action.SETTLE,
        ReservationSettings.MAX_TTL,
        List.of(actual),
        charge -> actual.of(charge.counter(), ReservationCommand.UNREPORTED),
        charge -> 0L);
  }

  /** Cancels as {@link Reservation#cancel} does. */
  public ReservationState cancel(String id) {
    return await(cancelAsync(id));
  }

  /** Cancels as {@link Reservation#cancel} does, without blocking the calling thread. */
  public CompletionStage<ReservationState> cancelAsync(String id) {
    return apply(
        id, Action.SETTLE, ReservationSettings.MAX_TTL, List.of(), charge -> 0L, charge -> 0L);
  }

  private CompletionStage<ReservationState> apply(
      String id,
      Action action,
      Duration ttl,
      List<Costs> reported,
      Function<Charge, Long> targets,
      Function<Charge, Long> more) {
    var reservations = tokens.store();
    return tokens
        .read(id)
        .thenCompose(token -> {
          if (token.isEmpty()) {
            return CompletableFuture.completedStage(
                new ReservationState.Unknown(
                    "the id is not one that this service has issued; use the id of the reservation"
                        + " as it was returned"));
          }
          if (token.get().local()) return local(token.get(), action);
          if (token.get().charges().isEmpty())
            return CompletableFuture.completedStage(withoutLimits(token.get(), action));
          for (var costs : reported) counters.requireCosts(token.get(), costs);
          var command = counters.command(token.get(), id, action, ttl, targets, more);
          if (command.entries().isEmpty() && token.get().holdsNothing())
            return CompletableFuture.completedStage(withoutLimits(token.get(), action));
          return reservations.apply(command).thenApply(reply -> state(command, reply));
        });
  }

  private static ReservationState withoutLimits(ReservationToken token, Action action) {
    return switch (action) {
      case UPDATE -> new ReservationState.Open(instant(token.expiresAt()), true, false, List.of());
      case SETTLE, EXPIRE -> new ReservationState.Settled(List.of());
    };
  }

  /** Releases or renews the slots of a reservation that a failure policy granted. */
  private CompletionStage<ReservationState> local(ReservationToken token, Action action) {
    var slots = counters.of(token).stream().map(reserved -> reserved.charge()).toList();
    if (slots.isEmpty()) return CompletableFuture.completedStage(new ReservationState.Local());
    return CompletableFuture.supplyAsync(
        () -> {
          for (var slot : slots) {
            boolean unused = action == Action.UPDATE ? store.renew(slot) : store.release(slot);
          }
          return new ReservationState.Local();
        },
        task -> Thread.ofVirtual().name("headgate-reservation").start(task));
  }

  private ReservationState state(ReservationCommand command, ReservationReply reply) {
    return switch (reply.status()) {
      case UNKNOWN ->
          new ReservationState.Unknown(
              "the reservation ended too long ago; settle within ten minutes of its expiry");
      case OPEN ->
          new ReservationState.Open(
              instant(reply.expiresAt()),
              counters.mayContinue(command, reply),
              reply.grown(),
              counters.limits(command, reply));
      case SETTLED -> new ReservationState.Settled(counters.limits(command, reply));
      case EXPIRED -> new ReservationState.Expired(counters.limits(command, reply));
    };
  }

  /** Charges as {@link RateLimiter#charge} does, without blocking the calling thread. */
  CompletionStage<CheckResult> chargeAsync(Request request) {
    var reservations = tokens.store();
    var plan = plans.apply(request);
    if (plan.hasNoCharges()) {
      var result = plan.isShed() ? PlanResult.SHED : PlanResult.EMPTY;
      return CompletableFuture.completedStage(new CheckResult(plan, result, false));
    }
    return reservations
        .charge(counters.spent(plan))
        .thenCompose(charged -> store.decideAsync(plan.atZeroCost().stored()))
        .thenApply(states -> new CheckResult(plan.atZeroCost(), states, false));
  }

  /**
   * Ends reservations that have expired, at most 1,000. A limiter with the system's clock does so
   * in the background: every second while reservations are open, every ten seconds otherwise.
   *
   * @return the number of reservations that were found expired
   */
  public CompletionStage<Integer> expireDue() {
    var reservations = tokens.store();
    return reservations
        .expired(ExpirySweeper.MAX_PER_SWEEP)
        .thenCompose(due -> {
          var ends = new ArrayList<CompletableFuture<?>>(due.size());
          for (var id : due) ends.add(expire(reservations, id).toCompletableFuture());
          return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
              .thenApply(done -> due.size());
        });
  }

  private CompletionStage<?> expire(ReservationStore reservations, String id) {
    var token = tokens.readNow(id);
    if (token.isEmpty()) {
      reservations.discard(id);
      return CompletableFuture.completedStage(null);
    }
    return reservations
        .apply(counters.expiry(token.get(), id))
        .whenComplete((reply, problem) -> {
          // The ones behind it must not wait for a node that is unavailable.
          if (problem != null) reservations.postpone(id, tokens.now() + POSTPONED_MICROS);
        });
  }

  /**
   * Returns the counters of which open reservations hold most, with the state of each. At most
   * 1,000 reservations are read; {@link HeldPermits#complete} tells whether these are all.
   *
   * @param rule selects rules by their id
   * @param max the highest number of counters
   */
  public CompletionStage<List<HeldPermits.Usage>> largest(Predicate<String> rule, int max) {
    return new HoldReader(tokens, counters).largest(rule, max);
  }

  /** Reads the permits that open reservations hold. */
  CompletionStage<OpenHolds> holds() {
    return new HoldReader(tokens, counters).holds();
  }

  /** Returns the number of open reservations in the store, which may be a second old. */
  public long openCount() {
    return tokens.store().openCount();
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
