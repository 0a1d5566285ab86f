package io.headgate;

import io.headgate.limit.Outcome;
import io.headgate.limit.SlotLimit;
import io.headgate.limit.Stateless;
import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationCommand.Action;
import io.headgate.reservation.ReservationReply;
import io.headgate.reservation.ReservationStep;
import io.headgate.reservation.ReservedCharge;
import io.headgate.reservation.ReservedCharge.ExpiryCharge;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.InvalidCostException;
import io.headgate.rule.Mode;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * Finds the counters of a reservation by the present rules. A counter whose rule no longer exists
 * is left out: its charge stays as it was reserved. Thread-safe.
 */
final class ReservedCounters {
  private static final Outcome PASSED = new Outcome.Passed(0, 0, 0);

  private final Supplier<RuleSet> rules;
  private final Function<Charge, Counter> tuned;
  private final ToIntFunction<Counter> places;

  /**
   * Creates a finder.
   *
   * @param tuned returns the counter of a charge with the present rate of a limit that follows a
   *     signal
   * @param places returns where a counter is reserved; see {@code ReservationStore.placeOf}
   */
  ReservedCounters(
      Supplier<RuleSet> rules, Function<Charge, Counter> tuned, ToIntFunction<Counter> places) {
    this.rules = rules;
    this.tuned = tuned;
    this.places = places;
  }

  /** Returns a number that identifies the limit of a charge, and where it counts. */
  long fingerprint(Charge charge) {
    return ReservationToken.fingerprint(charge.limit(), places.applyAsInt(charge.counter()));
  }

  /** Returns the counters of a token. */
  List<ReservedCharge> of(ReservationToken token) {
    var current = rules.get();
    var found = new ArrayList<ReservedCharge>(token.charges().size());
    for (int i = 0; i < token.charges().size(); i++) {
      var ref = token.charges().get(i);
      var counter = current.counter(ref.rule(), ref.override(), ref.name());
      var rule = current.rule(ref.rule());
      if (counter.isEmpty() || rule.isEmpty()) continue;
      var settings = rule.get().reservation();
      var base = new Charge(counter.get(), ref.key(), ref.amount(), token.holder());
      var present = tuned.apply(base).withMaxDebt(settings);
      var charge = new Charge(present, ref.key(), ref.amount(), token.holder());
      found.add(
          new ReservedCharge(
              i,
              charge,
              ref.at(),
              ref.freshAt(),
              fingerprint(charge) == ref.fingerprint(),
              ReservationPlan.maxAmount(charge, settings),
              onExpiry(charge, settings)));
    }
    return found;
  }

  /**
   * Requires that each reported cost is one of the reservation's: one that a limit of its rules
   * spends, or a limit of a rule in shadow mode, whose charge it may lack. A reservation of which a
   * rule no longer exists accepts every name, since its names are not known.
   *
   * @throws InvalidCostException if a cost is not
   */
  void requireCosts(ReservationToken token, Costs reported) {
    var names = reported.names();
    if (names.isEmpty() || token.charges().isEmpty()) return;
    var current = rules.get();
    var known = new TreeSet<String>();
    for (var ref : token.charges()) {
      var rule = current.rule(ref.rule());
      if (rule.isEmpty() || current.counter(ref.rule(), ref.override(), ref.name()).isEmpty()) {
        return;
      }
      addCosts(rule.get(), known);
    }
    if (known.containsAll(names)) return;
    var accepted = new TreeSet<>(known);
    for (var rule : current.rules()) {
      if (rule.mode() == Mode.SHADOW) addCosts(rule, accepted);
    }
    for (var name : names) {
      if (accepted.contains(name)) continue;
      throw new InvalidCostException(
          name,
          "is not a cost of this reservation, which has %s; report one of these (nothing was changed)"
              .formatted(String.join(", ", known)));
    }
  }

  private static void addCosts(Rule rule, Set<String> costs) {
    addCosts(rule.limits(), costs);
    for (var override : rule.overrides()) addCosts(override.limits(), costs);
  }

  private static void addCosts(List<RuleLimit> limits, Set<String> costs) {
    for (var limit : limits) {
      if (limit.limit() instanceof Stateless) continue;
      costs.add(limit.cost().orElse(Request.PLAIN_COST));
    }
  }

  private static ExpiryCharge onExpiry(Charge charge, ReservationSettings settings) {
    return switch (settings.onExpiry()) {
      case CHARGE_USED ->
          charge.counter().cost().isPresent() ? ExpiryCharge.USED : ExpiryCharge.USED_OR_RESERVED;
      case CHARGE_RESERVED -> ExpiryCharge.RESERVED;
      case RELEASE -> ExpiryCharge.NOTHING;
    };
  }

  /**
   * Returns an operation on a token's counters.
   *
   * @param ttl the time by which an update extends the reservation, at most that of the token
   */
  ReservationCommand command(
      ReservationToken token,
      String id,
      Action action,
      Duration ttl,
      Function<Charge, Long> targets,
      Function<Charge, Long> more) {
    var entries = new ArrayList<ReservationCommand.Entry>();
    for (var reserved : of(token)) {
      var charge = reserved.charge();
      boolean isSlot = charge.limit() instanceof SlotLimit;
      entries.add(
          new ReservationCommand.Entry(
              reserved,
              isSlot ? ReservationCommand.UNREPORTED : targets.apply(charge),
              isSlot ? 0 : more.apply(charge)));
    }
    long extension = Math.min(token.ttl(), ttl.toNanos() / 1_000);
    return new ReservationCommand(token.nonce(), id, token.expiresAt(), action, extension, entries);
  }

  /**
   * Returns the operation that ends a reservation if it has expired, and else reads its counters.
   */
  ReservationCommand expiry(ReservationToken token, String id) {
    return command(
        token,
        id,
        Action.EXPIRE,
        ReservationSettings.MAX_TTL,
        charge -> ReservationCommand.UNREPORTED,
        charge -> 0L);
  }

  /** Returns the limits of a reply. */
  List<ReservedLimit> limits(ReservationCommand command, ReservationReply reply) {
    var limits = new ArrayList<ReservedLimit>(reply.counters().size());
    for (int i = 0; i < reply.counters().size(); i++) {
      var reserved = command.entries().get(i).reserved();
      var counter = reply.counters().get(i);
      limits.add(
          limit(
              reserved.charge(),
              reserved.charge().cost() + counter.grown(),
              counter.charged(),
              counter.remaining(),
              reserved.sameLimit()));
    }
    return limits;
  }

  ReservedLimit limit(
      Charge charge, long requested, long charged, long remaining, boolean sameLimit) {
    var counter = charge.counter();
    return new ReservedLimit(
        counter.rule(),
        counter.name(),
        counter.cost(),
        requested,
        charged,
        remaining,
        sameLimit && ReservationStep.isCorrectable(charge.limit()));
  }

  /** Returns whether no enforced limit is used up, by the reservation and in itself. */
  boolean mayContinue(ReservationCommand command, ReservationReply reply) {
    var current = rules.get();
    for (int i = 0; i < reply.counters().size(); i++) {
      var charge = command.entries().get(i).reserved().charge();
      var counter = reply.counters().get(i);
      if (!ReservationStep.isCorrectable(charge.limit())) continue;
      boolean enforced =
          current.rule(charge.counter().rule()).stream()
              .anyMatch(rule -> rule.mode() == Mode.ENFORCE);
      if (enforced && counter.used() >= counter.charged() && counter.remaining() == 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns the charges of usage that is reported after the fact; slots are not used by it. */
  List<Charge> spent(Plan plan) {
    var outcomes = new ArrayList<Outcome>();
    for (int i = 0; i < plan.charges().size(); i++) outcomes.add(PASSED);
    var passing = plan.passing(outcomes);
    var spent = new ArrayList<Charge>();
    for (int i = 0; i < passing.length; i++) {
      var charge = plan.charges().get(i);
      if (passing[i] && charge.cost() > 0 && !(charge.limit() instanceof SlotLimit)) {
        spent.add(withMaxDebt(charge));
      }
    }
    return spent;
  }

  private Charge withMaxDebt(Charge charge) {
    var counter = charge.counter();
    return rules
        .get()
        .rule(counter.rule())
        .map(rule -> charge.withCounter(counter.withMaxDebt(rule.reservation())))
        .orElse(charge);
  }
}
