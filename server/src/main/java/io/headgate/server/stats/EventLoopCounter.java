package io.headgate.server.stats;

import io.headgate.CheckResult;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Mode;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import io.headgate.server.callers.CallerNaming;
import io.headgate.server.callers.CallerTable;
import io.headgate.server.counts.OutcomeCounts;
import io.headgate.store.Source;
import java.util.function.LongSupplier;

/**
 * Counts what one event loop decides, in tables that no other thread touches; when a second is
 * over, it gives them away and begins others.
 */
public final class EventLoopCounter implements DecisionListener {
  private final CallerNaming names;
  private final CountsQueue inbox;
  private final LongSupplier clock;
  private final long secret;
  private final CheckResult.RuleSaid ruleSaid = this::said;
  private ThreadCounts tally;
  private CallerTable callers;
  private boolean allowed; // of the decision that is being counted
  private boolean degraded;
  private boolean shadowDenied;
  private boolean uncounted;

  EventLoopCounter(CallerNaming names, CountsQueue inbox, LongSupplier clock, long secret) {
    this.names = names;
    this.inbox = inbox;
    this.clock = clock;
    this.secret = secret;
    long second = second();
    this.tally = new ThreadCounts(second);
    this.callers = new CallerTable(second, secret);
  }

  @Override
  public void decided(Request request, CheckResult result, long nanos) {
    allowed = result.isAllowed();
    degraded = result.source() == Source.FALLBACK;
    shadowDenied = false;
    uncounted = false;
    result.eachRule(ruleSaid);
    count(tally.all, allowed, !allowed, shadowDenied);
    if (uncounted && allowed) tally.uncounted++;
    tally.latencies.record(nanos);
    countCaller(request.subject(), result);
  }

  /** A rule that would let pass what another denies has no part in it. */
  private void said(Rule rule, boolean passed) {
    boolean enforced = rule.mode() == Mode.ENFORCE;
    boolean shadow = !enforced && !passed && allowed;
    shadowDenied |= shadow;
    // One that enforces its share here counts still.
    uncounted |= degraded && enforced && !(rule.onStoreFailure() instanceof FailurePolicy.Local);
    count(tally.of(rule.id()), allowed && !shadow, enforced && !passed, shadow);
  }

  private void count(OutcomeCounts outcomes, boolean yes, boolean no, boolean shadow) {
    outcomes.asked++;
    if (yes) outcomes.allowed++;
    if (no) outcomes.denied++;
    if (shadow) outcomes.shadowDenied++;
    if (degraded) outcomes.degraded++;
  }

  private void countCaller(Subject subject, CheckResult result) {
    String attribute = names.attributeOf(subject);
    String value = attribute.isEmpty() ? "" : subject.attribute(attribute).orElse("");
    var seen = callers.find(attribute, value, subject);
    var rule = result.rule();
    String id = rule.isPresent() ? rule.get().id() : "";
    if (allowed) {
      seen.allowed++;
      seen.decider = id;
    } else {
      seen.denied++;
      seen.denier = id;
    }
    if (callers.isFull()) giveCallers(callers.second);
  }

  private void giveCallers(long next) {
    inbox.give(callers);
    callers = new CallerTable(next, secret);
  }

  /**
   * To be called on the thread of this event loop, often enough that a second ends soon after it is
   * over: decisions themselves do not look at the clock.
   */
  public void tick() {
    long second = second();
    if (second <= tally.second) return; // also where the clock can be put back
    if (!tally.isEmpty()) inbox.give(tally);
    tally = new ThreadCounts(second);
    if (callers.isEmpty()) callers = new CallerTable(second, secret);
    else giveCallers(second);
  }

  private long second() {
    return Math.floorDiv(clock.getAsLong(), 1_000L);
  }
}
