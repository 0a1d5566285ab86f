package io.headgate;

import static io.headgate.LimitReport.micros;

import io.headgate.limit.Outcome;
import io.headgate.rule.Combine;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Plan;
import io.headgate.rule.Rule;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of a check: the decision, the rule and limit that determined it, and a report of every
 * limit that took part.
 *
 * <p>Reports are computed on access, so a caller that reads only the decision does not pay for
 * them. Immutable and safe for use by several threads.
 */
public final class CheckResult {
  private final Plan plan;
  private final boolean charged;
  private final List<Outcome> outcomes;
  private final Source source;
  private final Plan.@Nullable Part denyingPart;
  private final long retryAfter;
  private final @Nullable String remoteSlots; // the id of slots that another process acquired
  private final int decidingCharge; // index of the charge reported to the caller; -1 if none
  private final long delay; // in microseconds
  private @Nullable List<LimitReport> reports; // created on first access; a race creates it twice

  /**
   * Creates the result of a plan.
   *
   * @param charged whether the plan was charged; false for a peek
   */
  CheckResult(Plan plan, PlanResult answer, boolean charged) {
    this(plan, answer, charged, null);
  }

  private CheckResult(Plan plan, PlanResult answer, boolean charged, @Nullable String remoteSlots) {
    this.remoteSlots = remoteSlots;
    this.plan = plan;
    this.charged = charged;
    this.outcomes = answer.outcomes();
    this.source = answer.source();
    Plan.Part strictest = null;
    long latest = 0;
    for (var part : plan.parts()) {
      if (!part.isEnforced()) continue;
      long wait = part.retryAfter(outcomes);
      if (wait > latest) {
        latest = wait;
        strictest = part;
      }
    }
    this.retryAfter = latest;
    this.denyingPart = strictest;
    this.decidingCharge = strictest == null ? tightest() : reportedLimit(strictest);
    this.delay = latest == 0 ? longestDelay() : 0;
  }

  /** Creates the denial of a delayed request, by the limit with the longest delay. */
  private CheckResult(CheckResult delayed, Plan.Part part, int charge, long delay) {
    this.remoteSlots = null;
    this.plan = delayed.plan;
    this.charged = false;
    this.outcomes = delayed.outcomes;
    this.source = delayed.source;
    this.denyingPart = part;
    this.retryAfter = delay;
    this.decidingCharge = charge;
    this.delay = 0;
  }

  /**
   * Returns the result of a plan that another process decided.
   *
   * @param plan the limits that applied there
   * @param answer their outcomes, in the order of the charges
   * @param slotId the id of the slots that the request acquired there; empty if there are none
   */
  public static CheckResult ofRemote(Plan plan, PlanResult answer, Optional<String> slotId) {
    return new CheckResult(plan, answer, false, slotId.orElse(null));
  }

  /**
   * Returns the result for a client that waits no longer than {@code max}: this one or, if its
   * delay is longer, a denial by the rule that causes the delay, with the delay as its retry time.
   * The denial has no slots; those of this result must be released.
   */
  public CheckResult withMaxWait(Duration max) {
    if (!isAllowed() || delay().compareTo(max) <= 0) return this;
    for (var part : plan.parts()) {
      if (!part.isEnforced()) continue;
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        if (outcomes.get(i) instanceof Outcome.Passed passed && passed.delay() == delay) {
          return new CheckResult(this, part, i, delay);
        }
      }
    }
    throw new IllegalStateException("no limit delays the request by %d µs".formatted(delay));
  }

  /**
   * Returns the result of a plan that was evaluated without charging it. Each limit that passed
   * reports the state before the charge; a limit that refused does so in any case.
   *
   * @param answer the result of the plan at zero cost, followed by that of the plan
   */
  static CheckResult ofPeek(Plan plan, PlanResult answer) {
    int size = plan.charges().size();
    var outcomes = new ArrayList<Outcome>(size);
    for (int i = 0; i < size; i++) {
      var now = answer.outcomes().get(i);
      var requested = answer.outcomes().get(size + i);
      outcomes.add(
          requested instanceof Outcome.Passed passed
              ? new Outcome.Passed(now.remaining(), now.resetAfter(), passed.delay(), now.limit())
              : requested);
    }
    return new CheckResult(plan, new PlanResult(outcomes, answer.source()), false);
  }

  /** Returns the decision alone. A plan of one enforced limit needs no {@code CheckResult}. */
  static Decision decision(Plan plan, PlanResult answer) {
    if (!plan.isSingleEnforcedLimit() || answer.source() == Source.FALLBACK) {
      return new CheckResult(plan, answer, true).decision();
    }
    return switch (answer.first()) {
      case Outcome.Passed passed -> {
        var reset = micros(passed.resetAfter());
        yield passed.delay() > 0
            ? new Decision.Delayed(micros(passed.delay()), passed.remaining(), reset)
            : new Decision.Allowed(passed.remaining(), reset);
      }
      case Outcome.Refused refused -> new Decision.Denied(micros(refused.retryAfter()));
      case Outcome.ExceedsCapacity exceeds ->
          new Decision.Impossible(exceeds.cost(), exceeds.capacity());
    };
  }

  /** Returns the decision; {@link Decision.Allowed} without a limit if no limit applies. */
  public Decision decision() {
    if (decidingCharge < 0) {
      return retryAfter > 0
          ? new Decision.Denied(micros(retryAfter))
          : new Decision.Allowed(Decision.Allowed.UNLIMITED, Duration.ZERO);
    }
    var outcome = outcomes.get(decidingCharge);
    if (retryAfter == Combine.NEVER && outcome instanceof Outcome.ExceedsCapacity exceeds) {
      return new Decision.Impossible(exceeds.cost(), exceeds.capacity());
    }
    if (retryAfter > 0) return new Decision.Denied(micros(retryAfter));
    long remaining =
        isKnown(partOf(decidingCharge)) ? outcome.remaining() : Decision.Allowed.UNKNOWN;
    return delay > 0
        ? new Decision.Delayed(micros(delay), remaining, micros(outcome.resetAfter()))
        : new Decision.Allowed(remaining, micros(outcome.resetAfter()));
  }

  /** Returns whether the outcomes of a rule's limits have figures, rather than placeholders. */
  private boolean isKnown(Plan.Part part) {
    return source != Source.FALLBACK || part.rule().onStoreFailure() instanceof FailurePolicy.Local;
  }

  /** Returns whether the request may go ahead, immediately or after {@link #delay}. */
  public boolean isAllowed() {
    return retryAfter == 0;
  }

  /**
   * Returns the rule that denied or, if none did, the rule whose limit has the least left. If no
   * limit applies, the first enforced rule that does, which is exempt or unlimited.
   */
  public Optional<Rule> rule() {
    if (denyingPart != null) return Optional.of(denyingPart.rule());
    if (decidingCharge >= 0) return Optional.of(partOf(decidingCharge).rule());
    for (var part : plan.parts()) {
      if (part.isEnforced()) return Optional.of(part.rule());
    }
    return Optional.empty();
  }

  /** Returns whether no enforced rule applied, so that the request is not limited by any. */
  public boolean isUnmatched() {
    for (var part : plan.parts()) {
      if (part.isEnforced()) return false;
    }
    return true;
  }

  /** Returns the report of the limit that determined the decision; empty if no limit applies. */
  public Optional<LimitReport> limit() {
    if (decidingCharge >= 0) {
      var all = limits();
      return Optional.of(all.size() == 1 ? all.getFirst() : report(decidingCharge));
    }
    return denyingPart == null ? Optional.empty() : Optional.of(denial(denyingPart));
  }

  /**
   * Returns a report of every limit of every rule that applied, in the order of the rules. A rule
   * that denies every request reports a limit of 0; one that is exempt or unlimited reports none.
   */
  public List<LimitReport> limits() {
    var known = reports;
    if (known == null) {
      known = createReports();
      reports = known;
    }
    return known;
  }

  private List<LimitReport> createReports() {
    if (plan.isSingleEnforcedLimit() && !plan.isDenied()) return List.of(report(0));
    var created = new ArrayList<LimitReport>(outcomes.size());
    for (var part : plan.parts()) {
      if (part.denies()) created.add(denial(part));
      for (int i = 0; i < part.counters().size(); i++) created.add(report(part, part.from() + i));
    }
    return List.copyOf(created); // its fields are final, so another thread sees all of it
  }

  /**
   * Returns the policy names of the limits that refused. A rule that combines its limits in order
   * contributes the first one only.
   */
  public List<String> violated() {
    return violated(true);
  }

  /** Returns the policy names of the limits of shadow rules that would have refused. */
  public List<String> shadowViolated() {
    return violated(false);
  }

  /** Returns the shadow rules that would have denied. Allocates only if there is one. */
  public List<Rule> shadowDenials() {
    List<Rule> rules = List.of();
    for (var part : plan.parts()) {
      if (part.isEnforced() || part.retryAfter(outcomes) == 0) continue;
      if (rules.isEmpty()) rules = new ArrayList<>();
      rules.add(part.rule());
    }
    return rules;
  }

  /** Receives each rule that applied, with whether that rule alone let the request pass. */
  @FunctionalInterface
  public interface RuleVisitor {
    /** Called once for each rule that applied. */
    void visit(Rule rule, boolean passed);
  }

  /**
   * Calls the visitor for each rule that applied, in the order of the rules. Allocates nothing, so
   * that it can be used for statistics of every check.
   */
  @SuppressWarnings("ReferenceEquality") // the same part of the same plan
  public void forEachRule(RuleVisitor visitor) {
    for (var part : plan.parts()) {
      visitor.visit(part.rule(), part.retryAfter(outcomes) == 0 && part != denyingPart);
    }
  }

  /** Returns how long the request has to wait; zero unless a limit queues requests. */
  public Duration delay() {
    return delay == 0 ? Duration.ZERO : micros(delay);
  }

  /** Returns what the decision was based on: the store, a lease, a cache or the fallback. */
  public Source source() {
    return source;
  }

  /** Returns the id to renew and release the acquired slots with; empty if there are none. */
  public Optional<String> slotId() {
    if (remoteSlots != null) return Optional.of(remoteSlots);
    return charged ? SlotToken.of(plan, outcomes).map(SlotToken::encode) : Optional.empty();
  }

  private long longestDelay() {
    long max = 0;
    for (var part : plan.parts()) {
      if (!part.isEnforced()) continue;
      for (int i = 0; i < part.counters().size(); i++) {
        if (outcomes.get(part.from() + i) instanceof Outcome.Passed passed) {
          max = Math.max(max, passed.delay());
        }
      }
    }
    return max;
  }

  private List<String> violated(boolean enforced) {
    List<String> names = List.of();
    for (var part : plan.parts()) {
      if (part.isEnforced() != enforced || part.retryAfter(outcomes) == 0) continue;
      if (names.isEmpty()) names = new ArrayList<>();
      if (part.denies()) {
        names.add(part.denial().policy());
        continue;
      }
      if (part.rule().combine().reportsFirst()) {
        names.add(plan.charges().get(reportedLimit(part)).counter().policy());
        continue;
      }
      for (int i = 0; i < part.counters().size(); i++) {
        if (outcomes.get(part.from() + i) instanceof Outcome.Passed) continue;
        names.add(part.counters().get(i).policy());
      }
    }
    return names;
  }

  /**
   * Returns the charge with the least left, considering one limit of each enforced rule. A limit
   * whose permits are unknown comes last.
   */
  private int tightest() {
    int best = -1;
    long least = Long.MAX_VALUE;
    for (var part : plan.parts()) {
      if (!part.isEnforced() || part.counters().isEmpty()) continue;
      int own = part.tightest(outcomes);
      long left = isKnown(part) ? outcomes.get(own).remaining() : Long.MAX_VALUE;
      if (best >= 0 && left >= least) continue;
      best = own;
      least = left;
    }
    return best;
  }

  /**
   * Returns the limit to report for a rule that denied: the one whose retry time is the rule's or,
   * if the rule combines its limits in order, the first that refused. If the cost exceeds a
   * capacity, that limit is reported, since waiting does not help. Returns -1 if the rule denies
   * every request.
   */
  private int reportedLimit(Plan.Part part) {
    if (part.denies()) return -1;
    long ruleWaits = part.retryAfter(outcomes);
    boolean first = part.rule().combine().reportsFirst() && ruleWaits != Combine.NEVER;
    for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
      long wait = Combine.passesAfter(outcomes.get(i));
      if (first ? wait > 0 : wait == ruleWaits) return i;
    }
    throw new IllegalStateException(
        "rule '%s' denied a request, but none of its limits did".formatted(part.rule().id()));
  }

  private Plan.Part partOf(int charge) {
    var parts = plan.parts();
    var found = parts.getFirst();
    for (int i = 1; i < parts.size() && parts.get(i).from() <= charge; i++) found = parts.get(i);
    return found;
  }

  private static LimitReport denial(Plan.Part part) {
    var refused = new Outcome.Refused(0, 0, part.deniesFor());
    return new LimitReport(part.denial(), refused, part.isEnforced(), Optional.empty());
  }

  private LimitReport report(int charge) {
    return report(partOf(charge), charge);
  }

  private LimitReport report(Plan.Part part, int charge) {
    var single = plan.single();
    return new LimitReport(
        single == null ? plan.charges().get(charge).counter() : single.counter(),
        outcomes.get(charge),
        part.isEnforced(),
        source == Source.FALLBACK ? Optional.of(part.rule().onStoreFailure()) : Optional.empty());
  }

  @Override
  public String toString() {
    return decision() + rule().map(rule -> " by " + rule.id()).orElse(" (no rule applies)");
  }
}
