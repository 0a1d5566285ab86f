package io.headgate.internal.region;

import io.headgate.internal.region.RegionPlan.Route;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.Refused;
import io.headgate.limit.SlotLimit;
import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationCommand.Action;
import io.headgate.reservation.ReservationParts;
import io.headgate.reservation.ReservationReply;
import io.headgate.reservation.ReservedCharge;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.rule.RegionSettings;
import io.headgate.store.Budget;
import io.headgate.store.PlanResult;
import io.headgate.store.ReservationStore;
import io.headgate.store.ReservedPlan;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Reserves permits in one of several regions: in the regional store those of rules of scope {@code
 * local} and of the region's split, and at home all others.
 *
 * <p>A reservation of both is made at home first. If the region refuses it, the charges at home are
 * given back. Operations on it are applied at home first, and to the rest if that succeeds; since
 * they can be repeated, a failure in between does no harm. If the rules have moved a counter since
 * the reservation, its charge stays where it was made and nothing is returned elsewhere. Ids are
 * encrypted with the secret of the region and listed there, so they are valid in the region that
 * issued them.
 *
 * <p>While home is unavailable, reservations that need it fail: a failure policy can't know the
 * permits of other regions. Thread-safe.
 */
final class RegionReservations implements ReservationStore {
  private static final List<Route> REGIONAL = List.of(Route.LOCAL, Route.SPLIT);
  private static final List<Route> AT_HOME = List.of(Route.HOME, Route.POOL_AT_HOME);
  private static final long GIVE_BACK_MICROS = 60_000_000;

  /** A part of a limit in thousandths, and where its counter is. */
  private record Place(boolean atHome, int permille) {
    static @Nullable Place of(Counter counter, String region) {
      var regions = counter.regions();
      return switch (regions.scope()) {
        case LOCAL -> new Place(false, RegionSettings.WHOLE);
        case HOME -> new Place(true, RegionSettings.WHOLE);
        case SHARED -> {
          if (regions.splitOf(region) > 0) yield new Place(false, regions.splitOf(region));
          yield regions.pooled() > 0 ? new Place(true, regions.pooled()) : null;
        }
      };
    }

    /** Returns a number for {@link ReservationStore#placeOf}; 0 as in a store without regions. */
    int number() {
      if (atHome) return RegionSettings.WHOLE + permille;
      return permille == RegionSettings.WHOLE ? 0 : permille;
    }

    Charge of(Charge charge) {
      return charge.withCounter(charge.counter().partOf(permille).orElse(charge.counter()));
    }
  }

  private final String region;
  private final ReservationStore regional;
  private final HomeReservations home;

  RegionReservations(String region, ReservationStore regional, HomeReservations home) {
    this.region = region;
    this.regional = regional;
    this.home = home;
  }

  @Override
  public CompletionStage<ReservedPlan> reserve(Plan plan) {
    var routed = new RegionPlan(plan, region);
    if (routed.isLocal()) return regional.reserve(plan);
    var all = new Outcomes(plan);
    boolean refused = false;
    for (int p = 0; p < plan.parts().size(); p++) {
      if (routed.route(p) == Route.POOL) routed.usePoolAtHome(p);
      if (routed.route(p) != Route.NONE) continue;
      all.refuse(plan.parts().get(p));
      refused |= plan.parts().get(p).isEnforced();
    }
    var atHome = routed.planOf(AT_HOME);
    var here = routed.planOf(REGIONAL);
    boolean none = refused;
    return reserve(atHome, none, home::reserve)
        .thenCompose(made -> {
          all.take(routed.indexesOf(AT_HOME), made);
          boolean denied = none || !atHome.allows(made.result().outcomes());
          return reserve(here, denied, regional::reserve)
              .whenComplete((done, problem) -> {
                if (!denied && !isReserved(here, done)) giveBack(atHome, made);
              })
              .thenApply(done -> {
                if (!denied && done.result().source() == Source.FALLBACK) throw unavailable();
                all.take(routed.indexesOf(REGIONAL), done);
                return all.result(!denied && isReserved(here, done));
              });
        });
  }

  private interface Reserve {
    CompletionStage<ReservedPlan> of(Plan plan);
  }

  private static CompletionStage<ReservedPlan> reserve(Plan some, boolean denied, Reserve reserve) {
    if (some.hasNoCharges()) {
      return CompletableFuture.completedStage(new ReservedPlan(PlanResult.EMPTY, List.of()));
    }
    return reserve.of(denied ? some.atZeroCost() : some);
  }

  private static boolean isReserved(Plan here, @Nullable ReservedPlan done) {
    return done != null
        && done.result().source() != Source.FALLBACK
        && here.allows(done.result().outcomes());
  }

  private static StoreException unavailable() {
    return new StoreException(
        Kind.CONNECTION, "the Redis of the region is unavailable; the reservation needs it", null);
  }

  /** Gives the charges at home back. If that fails, they stay as those of a check. */
  private void giveBack(Plan plan, ReservedPlan made) {
    var entries = new ArrayList<ReservationCommand.Entry>();
    long at = 0;
    for (int i = 0; i < made.receipts().size(); i++) {
      var receipt = made.receipts().get(i);
      if (receipt == null) continue;
      var charge = plan.charges().get(i);
      at = Math.max(at, receipt.at());
      entries.add(
          new ReservationCommand.Entry(
              new ReservedCharge(
                  i,
                  charge,
                  receipt.at(),
                  receipt.freshAt(),
                  true,
                  charge.cost(),
                  ReservedCharge.ExpiryCharge.NOTHING),
              noneOf(charge),
              0));
    }
    if (entries.isEmpty()) return;
    var unused =
        home.apply(
            new ReservationCommand(
                UUID.randomUUID().toString(),
                "",
                at + GIVE_BACK_MICROS,
                Action.SETTLE,
                0,
                entries));
  }

  /** Returns the target that gives a charge back; slots are released by every settlement. */
  private static long noneOf(Charge charge) {
    return charge.limit() instanceof SlotLimit ? ReservationCommand.UNREPORTED : 0;
  }

  @Override
  public CompletionStage<Boolean> open(
      String nonce, String token, long expiresAt, List<ReservedCharge> charges) {
    var here = new ArrayList<ReservedCharge>();
    var atHome = new ArrayList<ReservationCommand.Entry>();
    for (var made : charges) {
      var place = Place.of(made.charge().counter(), region);
      if (place == null) continue;
      var placed = placed(made, place);
      if (place.atHome) {
        atHome.add(new ReservationCommand.Entry(placed, noneOf(made.charge()), 0));
      }
      if (!place.atHome) here.add(placed);
    }
    return regional
        .open(nonce, token, expiresAt, here)
        .whenComplete((listed, problem) -> {
          if (atHome.isEmpty() || Boolean.TRUE.equals(listed)) return;
          var unused =
              home.apply(new ReservationCommand(nonce, token, expiresAt, Action.SETTLE, 0, atHome));
        });
  }

  private static ReservedCharge placed(ReservedCharge made, Place place) {
    return new ReservedCharge(
        made.index(),
        place.of(made.charge()),
        made.at(),
        made.freshAt(),
        made.sameLimit(),
        made.maxAmount(),
        made.onExpiry());
  }

  @Override
  public int placeOf(Counter counter) {
    var place = Place.of(counter, region);
    return place == null ? -1 : place.number();
  }

  @Override
  public CompletionStage<ReservationReply> apply(ReservationCommand command) {
    var here = new ArrayList<Integer>();
    var atHome = new ArrayList<Integer>();
    var entries = new ArrayList<ReservationCommand.Entry>();
    for (int i = 0; i < command.entries().size(); i++) {
      var entry = command.entries().get(i);
      var place = Place.of(entry.reserved().charge().counter(), region);
      boolean isHome = place != null && place.atHome;
      (isHome ? atHome : here).add(i);
      var reserved = place == null ? entry.reserved() : placed(entry.reserved(), place);
      entries.add(new ReservationCommand.Entry(reserved, entry.target(), entry.more()));
    }
    var placed = command.with(entries);
    if (atHome.isEmpty()) return regional.apply(placed);
    if (here.isEmpty()) {
      return home.apply(placed)
          .thenCompose(reply -> regional.apply(listing(placed, reply)).thenApply(done -> reply));
    }
    return home.apply(ReservationParts.of(placed, atHome))
        .thenCompose(there ->
            regional
                .apply(ReservationParts.of(placed, here))
                .thenApply(done ->
                    ReservationParts.combined(
                        placed, List.of(atHome, here), List.of(there, done))));
  }

  /** Returns the command that lists a reservation in the region as home has it, or removes it. */
  private static ReservationCommand listing(ReservationCommand command, ReservationReply reply) {
    var action =
        switch (reply.status()) {
          case OPEN -> Action.UPDATE;
          case EXPIRED -> Action.EXPIRE;
          case SETTLED, UNKNOWN -> Action.SETTLE;
        };
    return new ReservationCommand(
        command.nonce(), command.token(), reply.expiresAt(), action, 0, List.of());
  }

  @Override
  public CompletionStage<Void> charge(List<Charge> charges) {
    var here = new ArrayList<Charge>();
    var atHome = new ArrayList<Charge>();
    for (var charge : charges) {
      var place = Place.of(charge.counter(), region);
      if (place != null) (place.atHome ? atHome : here).add(place.of(charge));
    }
    var local = here.isEmpty() ? done() : regional.charge(here);
    var there = atHome.isEmpty() ? done() : home.charge(atHome);
    return CompletableFuture.allOf(local.toCompletableFuture(), there.toCompletableFuture());
  }

  private static CompletionStage<Void> done() {
    return CompletableFuture.allOf();
  }

  @Override
  public List<Budget> budgets() {
    return regional.budgets();
  }

  @Override
  public boolean isFull() {
    return regional.isFull();
  }

  @Override
  public CompletionStage<List<String>> expired(int max) {
    return regional.expired(max);
  }

  @Override
  public CompletionStage<List<String>> listed(int max) {
    return regional.listed(max);
  }

  @Override
  public void discard(String token) {
    regional.discard(token);
  }

  @Override
  public void postpone(String token, long until) {
    regional.postpone(token, until);
  }

  @Override
  public long openCount() {
    return regional.openCount();
  }

  @Override
  public List<byte[]> secrets() {
    return regional.secrets();
  }

  @Override
  public CompletionStage<List<byte[]>> refreshSecrets() {
    return regional.refreshSecrets();
  }

  /** The outcomes and receipts of a plan whose rules are decided in two stores. */
  private static final class Outcomes {
    private final Plan plan;
    private final @Nullable Outcome[] outcomes;
    private final ReservedPlan.@Nullable Receipt[] receipts;

    Outcomes(Plan plan) {
      this.plan = plan;
      this.outcomes = new @Nullable Outcome[plan.charges().size()];
      this.receipts = new ReservedPlan.@Nullable Receipt[plan.charges().size()];
    }

    /** Refuses a rule of which this region has no part. */
    void refuse(Plan.Part part) {
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        long window = plan.charges().get(i).limit().window();
        outcomes[i] = new Refused(0, window, window);
      }
    }

    /** Takes over the outcomes of some rules, which a store decided in this order. */
    void take(List<Integer> parts, ReservedPlan made) {
      int next = 0;
      for (int p : parts) {
        var part = plan.parts().get(p);
        for (int i = part.from(); i < part.from() + part.counters().size(); i++, next++) {
          outcomes[i] = made.result().outcomes().get(next);
          if (next < made.receipts().size()) receipts[i] = made.receipts().get(next);
        }
      }
    }

    ReservedPlan result(boolean reserved) {
      var all = new ArrayList<Outcome>(outcomes.length);
      for (var outcome : outcomes) {
        if (outcome == null) throw new IllegalStateException("a charge is not decided");
        all.add(outcome);
      }
      return new ReservedPlan(
          new PlanResult(all, Source.STORE), reserved ? Arrays.asList(receipts) : List.of());
    }
  }
}
