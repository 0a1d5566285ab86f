package io.headgate;

import static io.headgate.LimitReport.micros;

import io.headgate.limit.Outcome;
import io.headgate.rule.Combine;
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
 * A decision, and everything it rests on. Works things out when asked, so that a caller who wants
 * the decision alone does not pay for the rest.
 */
public final class CheckResult {
  private final Plan plan;
  private final boolean kept;
  private final List<Outcome> outcomes;
  private final Source source;
  private final Plan.@Nullable Part decider;
  private final long retryAfter;
  private final int deciding; // the charge that speaks for all; -1 if no rule applies

  /**
   * @param kept whether the plan was charged, rather than looked at
   */
  CheckResult(Plan plan, PlanResult answer, boolean kept) {
    this.plan = plan;
    this.kept = kept;
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
    this.decider = strictest;
    this.deciding = strictest == null ? tightest() : blamed(strictest);
  }

  /** The decision alone, which for most plans takes no result. */
  static Decision decision(Plan plan, PlanResult answer) {
    if (!plan.isPlain()) return new CheckResult(plan, answer, true).decision();
    return switch (answer.first()) {
      case Outcome.Passed(var remaining, var reset, var delay) ->
          delay > 0
              ? new Decision.Delayed(micros(delay), remaining, micros(reset))
              : new Decision.Allowed(remaining, micros(reset));
      case Outcome.Refused refused -> new Decision.Denied(micros(refused.retryAfter()));
      case Outcome.ExceedsCapacity never -> new Decision.Impossible(never.cost(), never.capacity());
    };
  }

  public Decision decision() {
    if (deciding < 0) return new Decision.Allowed(Decision.Allowed.UNLIMITED, Duration.ZERO);
    var outcome = outcomes.get(deciding);
    if (retryAfter == Combine.NEVER && outcome instanceof Outcome.ExceedsCapacity never) {
      return new Decision.Impossible(never.cost(), never.capacity());
    }
    if (retryAfter > 0) return new Decision.Denied(micros(retryAfter));
    long delay = delayMicros();
    return delay > 0
        ? new Decision.Delayed(micros(delay), outcome.remaining(), micros(outcome.resetAfter()))
        : new Decision.Allowed(outcome.remaining(), micros(outcome.resetAfter()));
  }

  public boolean isAllowed() {
    return retryAfter == 0;
  }

  /** The rule that denied or, if none did, the one whose limit is tightest. */
  public Optional<Rule> rule() {
    if (decider != null) return Optional.of(decider.rule());
    return deciding < 0 ? Optional.empty() : Optional.of(partOf(deciding).rule());
  }

  /** How the limit stands that the decision speaks of. */
  public Optional<LimitReport> limit() {
    return deciding < 0 ? Optional.empty() : Optional.of(report(deciding));
  }

  /** How every limit of every rule that applied stands, in the order of the rules. */
  public List<LimitReport> limits() {
    var reports = new ArrayList<LimitReport>(outcomes.size());
    for (int i = 0; i < outcomes.size(); i++) reports.add(report(i));
    return reports;
  }

  /** The limits that refused, as policies; of an ordered rule, the one to blame only. */
  public List<String> violated() {
    return violated(true);
  }

  /** The limits of shadow rules that would have refused. */
  public List<String> shadowViolated() {
    return violated(false);
  }

  /** The shadow rules that would have denied; makes no list unless there is one. */
  public List<Rule> shadowDenials() {
    List<Rule> rules = List.of();
    for (var part : plan.parts()) {
      if (part.isEnforced() || part.retryAfter(outcomes) == 0) continue;
      if (rules.isEmpty()) rules = new ArrayList<>();
      rules.add(part.rule());
    }
    return rules;
  }

  /** What one of the rules that applied says by itself. */
  @FunctionalInterface
  public interface RuleSaid {
    void passed(Rule rule, boolean passed);
  }

  /** Tells what each rule that applied says, in their order, and makes nothing: for who counts. */
  public void eachRule(RuleSaid said) {
    for (var part : plan.parts()) said.passed(part.rule(), part.retryAfter(outcomes) == 0);
  }

  /** How long to wait before it goes ahead; zero unless a limit is a queue. */
  public Duration delay() {
    return micros(isAllowed() ? delayMicros() : 0);
  }

  /** The HTTP status for this result: 200, or the one that the denying rule asks for. */
  public int status() {
    return decider == null ? 200 : decider.rule().status();
  }

  public Source source() {
    return source;
  }

  /** What to renew and release by, if slots in flight were taken. */
  public Optional<String> slotId() {
    return kept ? SlotToken.of(plan, outcomes).map(SlotToken::encode) : Optional.empty();
  }

  private long delayMicros() {
    long longest = 0;
    for (var part : plan.parts()) {
      if (!part.isEnforced()) continue;
      for (int i = 0; i < part.counters().size(); i++) {
        if (outcomes.get(part.from() + i) instanceof Outcome.Passed passed) {
          longest = Math.max(longest, passed.delay());
        }
      }
    }
    return longest;
  }

  private List<String> violated(boolean enforced) {
    var names = new ArrayList<String>();
    for (var part : plan.parts()) {
      if (part.isEnforced() != enforced || part.retryAfter(outcomes) == 0) continue;
      if (part.rule().combine().blamesFirst()) {
        names.add(plan.charges().get(blamed(part)).counter().policy());
        continue;
      }
      for (int i = 0; i < part.counters().size(); i++) {
        if (outcomes.get(part.from() + i) instanceof Outcome.Passed) continue;
        names.add(part.counters().get(i).policy());
      }
    }
    return names;
  }

  /** The limit with least left, each rule speaking by one. */
  private int tightest() {
    int best = -1;
    for (var part : plan.parts()) {
      if (!part.isEnforced()) continue;
      int own = part.tightest(outcomes);
      if (best < 0 || outcomes.get(own).remaining() < outcomes.get(best).remaining()) best = own;
    }
    return best;
  }

  /**
   * Of a rule that denied, the limit whose time to pass is the rule's; where order tells, the first
   * that refused. But if no waiting helps, the limit that can't be met is the one to name.
   */
  private int blamed(Plan.Part part) {
    long ruleWaits = part.retryAfter(outcomes);
    boolean first = part.rule().combine().blamesFirst() && ruleWaits != Combine.NEVER;
    for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
      long wait = Combine.passesAfter(outcomes.get(i));
      if (first ? wait > 0 : wait == ruleWaits) return i;
    }
    throw new IllegalStateException("rule '%s' denies by none".formatted(part.rule().id()));
  }

  private Plan.Part partOf(int charge) {
    Plan.Part found = plan.parts().getFirst();
    for (var part : plan.parts()) {
      if (part.from() <= charge) found = part;
    }
    return found;
  }

  private LimitReport report(int charge) {
    return LimitReport.of(
        plan.charges().get(charge).counter(), outcomes.get(charge), partOf(charge).isEnforced());
  }

  @Override
  public String toString() {
    return decision() + rule().map(rule -> " by " + rule.id()).orElse(" (no rule applies)");
  }
}
