package io.headgate.server.quota;

import io.headgate.RateLimiter;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.server.quota.QuotaStrategy.AllowAll;
import io.headgate.server.quota.QuotaStrategy.DenyAll;
import io.headgate.server.quota.QuotaStrategy.Tokens;
import io.headgate.store.HoldStore;
import io.headgate.store.HoldStore.Target;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The quota assignments of one instance: settles the reports of proxies, and assigns permits that
 * the store holds for this instance.
 *
 * <p>A report is settled at once. If the bucket needs permits, or a longer lifetime, it waits for
 * the reply of the store to a request that charges the spent permits, renews the lease and holds
 * more. Requests for one counter are batched: one is in flight, and all buckets that wait are
 * served by the next.
 *
 * <p>While the store is unavailable nothing is assigned. Assignments expire, and each proxy applies
 * what its own configuration says for that case. Thread-safe.
 *
 * @param <B> the identity of a bucket in the protocol
 */
public final class QuotaBook<B> {
  private static final Logger LOG = LoggerFactory.getLogger(QuotaBook.class);
  private static final int MAX_NAMED_RULES = 100;

  private final RateLimiter limiter;
  private final QuotaSettings settings;
  private final LongSupplier nanos;
  private final long ttl;
  private final long roundTrip;
  private final Optional<HoldStore> store;
  private final HoldRequests<B> holds;
  private final RuleUsage usage = new RuleUsage();
  private final ShadowUsage shadow;
  private final Set<QuotaBucket<B>> buckets = new LinkedHashSet<>();
  private final Set<QuotaStream<B>> dirty = new LinkedHashSet<>();
  private final Set<String> namedRules = new LinkedHashSet<>(); // rules that were logged
  private long streams;
  private long admitted;
  private long denied;
  private long unassigned;
  private long expired;

  /**
   * Creates a book without streams.
   *
   * @param limiter its rules apply, and its store holds the permits
   * @param nanos a monotonic clock
   */
  public QuotaBook(RateLimiter limiter, QuotaSettings settings, LongSupplier nanos) {
    this.limiter = limiter;
    this.store = limiter.store().holds();
    this.holds = new HoldRequests<>(settings, nanos, this, this::served, this::flush);
    this.shadow = new ShadowUsage(limiter.store(), this::wouldDeny);
    this.settings = settings;
    this.nanos = nanos;
    this.ttl = settings.ttl().toNanos();
    this.roundTrip = settings.roundTrip().toNanos();
  }

  /**
   * Opens the stream of a proxy.
   *
   * @param sink receives the actions to send, on any thread, while the book is locked; must return
   *     at once
   * @return empty if there are too many streams
   */
  public synchronized Optional<QuotaStream<B>> open(Consumer<List<QuotaAction<B>>> sink) {
    if (streams >= settings.maxStreams()) return Optional.empty();
    streams++;
    return Optional.of(new QuotaStream<>(sink));
  }

  /**
   * Closes a stream. The permits of its proxy stay held until its assignments have expired, since
   * it may still spend them, and are charged then.
   */
  public synchronized void close(QuotaStream<B> stream) {
    if (stream.closed) return;
    stream.closed = true;
    streams--;
    // The proxy may not have received that a bucket is abandoned.
    for (var bucket : stream.buckets.values()) bucket.abandoned = false;
    stream.outbox.clear();
    stream.buckets.clear();
    dirty.remove(stream);
  }

  /** Settles the reports of a message and assigns quotas, now or when the store has replied. */
  public synchronized void report(QuotaStream<B> stream, List<QuotaUsage<B>> usages) {
    if (stream.closed) return;
    long now = nanos.getAsLong();
    for (var usage : usages) report(stream, usage, now);
    flush();
  }

  private void report(QuotaStream<B> stream, QuotaUsage<B> usage, long now) {
    admitted += usage.admitted();
    denied += usage.denied();
    var bucket = stream.buckets.get(usage.id());
    boolean first = bucket == null;
    if (bucket == null) {
      if (isFull(stream)) {
        send(stream, new QuotaAction.Assign<>(usage.id(), new DenyAll(), true));
        return;
      }
      bucket = new QuotaBucket<>(usage.id(), usage.subject(), stream, now);
      stream.buckets.put(usage.id(), bucket);
      buckets.add(bucket);
    }
    if (bucket.abandoned) {
      bucket.abandoned = false; // a request has arrived since
      bucket.sent = null;
    }
    bucket.quiet = usage.admitted() + usage.denied() == 0;
    if (!first) bucket.demand = bucket.demand.reported(usage.admitted() + usage.denied(), now);
    settle(bucket, usage.admitted(), now);
    var plan = limiter.plans(List.of(Request.of(bucket.subject, 1))).getFirst();
    bucket.rules = plan.isExempt() ? List.of() : rules(plan);
    this.usage.reported(bucket.rules, usage.admitted(), usage.denied());
    shadow.report(plan, usage.admitted());
    apply(QuotaPlan.of(plan, store, settings.leaseMicros()), bucket, usage.admitted(), first, now);
  }

  private static List<String> rules(Plan plan) {
    return plan.parts().stream()
        .filter(part -> !part.isUnlimited())
        .map(part -> part.rule().id())
        .toList();
  }

  private synchronized void wouldDeny(String rule, long requests) {
    if (requests > 0) usage.wouldDeny(rule, requests);
  }

  private boolean isFull(QuotaStream<B> stream) {
    return stream.buckets.size() >= settings.maxBucketsPerStream()
        || buckets.size() >= settings.maxBuckets();
  }

  private void settle(QuotaBucket<B> bucket, long requests, long now) {
    var settled = bucket.assignment.reported(requests, now, roundTrip);
    bucket.assignment = settled.next();
    bucket.settle(settled.spent(), 0, settled.returned());
    if (!bucket.holds.isEmpty()) charge(bucket, settled.unassigned());
  }

  /** Charges requests that the proxy has admitted without an assignment, as far as possible. */
  private void charge(QuotaBucket<B> bucket, long requests) {
    if (requests == 0) return;
    unassigned += requests;
    bucket.settle(0, requests, 0);
  }

  /** Applies the rules in force to a bucket whose report has been settled. */
  private void apply(
      QuotaPlan plan, QuotaBucket<B> bucket, long requests, boolean first, long now) {
    switch (plan) {
      case QuotaPlan.Unlimited unlimited -> blanket(bucket, new AllowAll(), now);
      case QuotaPlan.Denied denied -> blanket(bucket, new DenyAll(), now);
      case QuotaPlan.Unassignable(var rule, var reason) -> {
        logUnassignable(rule, reason);
        blanket(bucket, new DenyAll(), now);
      }
      case QuotaPlan.Assignable(var targets) -> {
        follow(bucket, targets, now);
        if (first) charge(bucket, requests); // the counters were unknown when it was settled
        bucket.want(wanted(bucket));
        bucket.pushed = false;
        if (requests > 0 || bucket.isDue() || isExtensionDue(bucket, now)) holds.await(bucket);
      }
    }
  }

  private void logUnassignable(String rule, String reason) {
    if (namedRules.size() >= MAX_NAMED_RULES || !namedRules.add(rule)) return;
    LOG.warn(
        "rule '{}' can't be divided into quota assignments, so proxies deny the requests it applies"
            + " to. {}",
        rule,
        reason);
  }

  private long wanted(QuotaBucket<B> bucket) {
    var demand = bucket.demand;
    return demand.isKnown()
        ? QuotaSizing.size(
            demand.perSecond(), demand.interval(), roundTrip, bucket.capacity(), bucket.proxies())
        : QuotaSizing.first(bucket.capacity(), bucket.proxies());
  }

  /** Makes the bucket use the counters of these targets, and no others. */
  private void follow(QuotaBucket<B> bucket, List<Target> targets, long now) {
    var next = holds.of(targets, now);
    if (!next.equals(bucket.holds)) replaceHolds(bucket, next, now);
  }

  /**
   * Replaces the counters of a bucket. What it has outstanding of the old ones counts as spent
   * there, since a proxy can't report it separately.
   */
  private void replaceHolds(QuotaBucket<B> bucket, List<CounterHold> next, long now) {
    bucket.expire(now);
    bucket.use(next);
  }

  /** Sends a strategy that needs no permits. */
  private void blanket(QuotaBucket<B> bucket, QuotaStrategy strategy, long now) {
    if (!bucket.holds.isEmpty()) replaceHolds(bucket, List.of(), now);
    if (strategy.equals(bucket.sent) && !isExtensionDue(bucket, now)) return;
    boolean replaces = !strategy.equals(bucket.sent);
    bucket.assignment = bucket.assignment.extended(now);
    bucket.sent = strategy;
    send(bucket.stream, new QuotaAction.Assign<>(bucket.id, strategy, replaces));
  }

  private boolean isExtensionDue(QuotaBucket<B> bucket, long now) {
    return now - bucket.assignment.sentAt() >= ttl / 4;
  }

  /** Assigns permits to a bucket whose counters have all replied. */
  private void served(QuotaBucket<B> bucket) {
    if (!bucket.stream.closed) assign(bucket, nanos.getAsLong());
  }

  private void assign(QuotaBucket<B> bucket, long now) {
    var current = bucket.assignment;
    boolean extendable = bucket.sent instanceof Tokens && current.isExtendable(now, ttl, roundTrip);
    long permits = bucket.share();
    if (permits == 0 && bucket.sent instanceof DenyAll) {
      extend(bucket, now);
    } else if (extendable && !isReplaced(bucket, permits)) {
      extend(bucket, now);
    } else {
      bucket.assignment = current.replaced(permits, now);
      for (var hold : bucket.holds) hold.assign(permits);
      bucket.sent = permits == 0 ? new DenyAll() : new Tokens(permits);
      send(bucket.stream, new QuotaAction.Assign<>(bucket.id, bucket.sent, true));
    }
    bucket.pushed = false;
  }

  /** Returns whether an assignment is replaced by one of {@code permits}, or else extended. */
  private static boolean isReplaced(QuotaBucket<?> bucket, long permits) {
    if (bucket.isShort()) return true;
    if (!bucket.isDue()) return false;
    if (bucket.pushed) return permits > 0;
    // Too many permits are returned; all of them if a new assignment would need permits as well.
    if (bucket.assignment.outstanding() > bucket.wanted()) return permits > 0 || bucket.quiet;
    return permits > bucket.assignment.outstanding();
  }

  private void extend(QuotaBucket<B> bucket, long now) {
    if (bucket.sent == null || !isExtensionDue(bucket, now)) return;
    bucket.assignment = bucket.assignment.extended(now);
    send(bucket.stream, new QuotaAction.Assign<>(bucket.id, bucket.sent, false));
  }

  private void send(QuotaStream<B> stream, QuotaAction<B> action) {
    stream.outbox.add(action);
    dirty.add(stream);
  }

  private void flush() {
    if (dirty.isEmpty()) return;
    var streamsToFlush = List.copyOf(dirty);
    dirty.clear();
    for (var stream : streamsToFlush) stream.flush();
  }

  /**
   * Expires assignments, abandons idle buckets, and releases permits that no assignment needs. To
   * be called several times a second.
   */
  public synchronized void tick() {
    long now = nanos.getAsLong();
    for (var bucket : List.copyOf(buckets)) tick(bucket, now);
    holds.sync(now);
    flush();
  }

  private void tick(QuotaBucket<B> bucket, long now) {
    if (bucket.abandoned && now - bucket.assignment.sentAt() >= roundTrip) {
      bucket.release(now);
      remove(bucket);
    } else if (bucket.assignment.isExpired(now, ttl, roundTrip)) {
      expired += bucket.assignment.outstanding();
      usage.expired(bucket.rules, bucket.assignment.outstanding());
      bucket.expire(now);
      if (bucket.stream.closed) remove(bucket);
    } else if (!bucket.abandoned
        && !bucket.stream.closed
        && now - bucket.demand.activeAt() >= settings.idle().toNanos()) {
      bucket.abandoned = true;
      bucket.assignment = bucket.assignment.replaced(0, now);
      send(bucket.stream, new QuotaAction.Abandon<>(bucket.id));
    } else if (isPushDue(bucket, now)) {
      bucket.pushed = true;
      bucket.pushedAt = now;
      holds.await(bucket);
    }
  }

  /**
   * Returns whether to assign permits before the next report: the proxy had demand, and has none
   * left presumably. Envoy reports every 5 seconds, in which many permits come back.
   */
  private boolean isPushDue(QuotaBucket<B> bucket, long now) {
    return !bucket.stream.closed
        && !bucket.abandoned
        && !bucket.quiet
        && !bucket.holds.isEmpty()
        && bucket.pending == 0
        && bucket.demand.isKnown()
        && now - Math.max(bucket.assignment.changedAt(), bucket.pushedAt) >= roundTrip
        && now - bucket.demand.reportedAt() < ttl
        && bucket.isExhausted(now);
  }

  private void remove(QuotaBucket<B> bucket) {
    bucket.use(List.of());
    buckets.remove(bucket);
    bucket.stream.buckets.remove(bucket.id, bucket);
  }

  /** Returns the present figures. */
  public synchronized QuotaStats stats() {
    var inForce = new HashSet<String>();
    for (var rule : limiter.rules().rules()) inForce.add(rule.id());
    return new QuotaStats(
        streams,
        buckets.size(),
        holds.outstanding(),
        admitted,
        denied,
        unassigned,
        expired,
        usage.stats(buckets, inForce));
  }
}
