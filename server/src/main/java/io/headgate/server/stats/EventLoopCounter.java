package io.headgate.server.stats;

import io.headgate.CheckResult;
import io.headgate.limit.LeakyBucket;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Mode;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.Subject;
import io.headgate.server.callers.CallerNaming;
import io.headgate.server.callers.CallerTable;
import io.headgate.server.counts.OutcomeCounts;
import io.headgate.store.Source;
import java.util.function.LongSupplier;

/**
 * Counts the decisions of one event loop, in tables that no other thread touches. At the end of
 * each second it passes them to the queue and starts new ones.
 */
public final class EventLoopCounter implements DecisionListener {
  private static final int MAX_SHADOW_DENIERS = 8; // of one check, that are counted by caller

  private final CallerNaming names;
  private final CountsQueue queue;
  private final LongSupplier clock;
  private final long secret;
  private final CheckResult.RuleVisitor ruleListener = this::countRule;
  private ThreadCounts counts;
  private CallerTable callers;
  private boolean allowed; // of the decision being counted, like the next seven fields
  private boolean degraded;
  private boolean delayed;
  private boolean shadowDenied;
  private boolean uncounted;
  private boolean matched; // by a rule that is enforced
  private final Rule[] shadowDeniers = new Rule[MAX_SHADOW_DENIERS];
  private int shadowDenierCount;

  EventLoopCounter(CallerNaming names, CountsQueue queue, LongSupplier clock, long secret) {
    this.names = names;
    this.queue = queue;
    this.clock = clock;
    this.secret = secret;
    long second = second();
    this.counts = new ThreadCounts(second);
    this.callers = new CallerTable(second, secret);
  }

  @Override
  public void decided(Request request, CheckResult result, long nanos) {
    allowed = result.isAllowed();
    degraded = result.source() == Source.FALLBACK;
    delayed = allowed && !result.delay().isZero();
    shadowDenied = false;
    uncounted = false;
    matched = false;
    shadowDenierCount = 0;
    result.forEachRule(ruleListener);
    count(counts.all, allowed, !allowed, shadowDenied);
    if (delayed) counts.all.delayed++;
    if (!matched) counts.all.unmatched++;
    if (uncounted && allowed) counts.uncounted++;
    counts.latencies.record(nanos);
    countCaller(request.subject(), result);
  }

  /**
   * Counts the decision for one rule. A rule that allows a check that another rule denies does not
   * contribute to the decision.
   */
  private void countRule(Rule rule, boolean passed) {
    boolean enforced = rule.mode() == Mode.ENFORCE;
    boolean shadowDenial = !enforced && !passed && allowed;
    matched |= enforced;
    if (shadowDenial) addShadowDenier(rule);
    // A rule with the local failure policy still counts.
    uncounted |= degraded && enforced && !(rule.onStoreFailure() instanceof FailurePolicy.Local);
    var outcomes = counts.of(rule.id());
    count(outcomes, allowed && !shadowDenial, enforced && !passed, shadowDenial);
    if (delayed && enforced && hasQueue(rule)) outcomes.delayed++;
  }

  private void addShadowDenier(Rule rule) {
    shadowDenied = true;
    if (shadowDenierCount < MAX_SHADOW_DENIERS) shadowDeniers[shadowDenierCount++] = rule;
  }

  private static boolean hasQueue(Rule rule) {
    for (var limit : rule.limits()) {
      if (isQueue(limit)) return true;
    }
    for (var override : rule.overrides()) {
      for (var limit : override.limits()) {
        if (isQueue(limit)) return true;
      }
    }
    return false;
  }

  private static boolean isQueue(RuleLimit limit) {
    return limit.limit() instanceof LeakyBucket bucket
        && !(bucket.queue() instanceof LeakyBucket.Queue.None);
  }

  private void count(OutcomeCounts outcomes, boolean allow, boolean deny, boolean shadowDenial) {
    outcomes.checks++;
    if (allow) outcomes.allowed++;
    if (deny) outcomes.denied++;
    if (shadowDenial) outcomes.shadowDenied++;
    if (degraded) outcomes.degraded++;
  }

  private void countCaller(Subject subject, CheckResult result) {
    String attribute = names.attributeOf(subject);
    String value = attribute.isEmpty() ? "" : subject.attribute(attribute).orElse("");
    var rule = result.rule();
    String id = rule.isPresent() ? rule.get().id() : "";
    var seen = callers.find(attribute, value, subject, id);
    var part = seen.of(id);
    if (allowed) part.allowed++;
    else part.countDenial(result);
    for (int i = 0; i < shadowDenierCount; i++) {
      seen.of(shadowDeniers[i].id()).countShadowDenial(result);
    }
    if (callers.isFull()) passCallers(callers.second);
  }

  private void passCallers(long next) {
    queue.add(callers);
    callers = new CallerTable(next, secret);
  }

  /**
   * Ends the current second if it is over. Must be called on the thread of this event loop, often
   * enough that a second ends soon after it is over. Decisions themselves do not read the clock.
   */
  public void tick() {
    long second = second();
    if (second <= counts.second) return; // also if the clock went back
    if (!counts.isEmpty()) queue.add(counts);
    counts = new ThreadCounts(second);
    if (callers.isEmpty()) callers = new CallerTable(second, secret);
    else passCallers(second);
  }

  private long second() {
    return Math.floorDiv(clock.getAsLong(), 1_000L);
  }
}
