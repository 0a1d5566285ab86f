package io.headgate.server.quota;

import io.headgate.RateLimiter;
import io.headgate.limit.Holdable;
import io.headgate.rule.InvalidCostException;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.server.quota.QuotaStrategy.AllowAll;
import io.headgate.server.quota.QuotaStrategy.DenyAll;
import io.headgate.store.Budget;
import io.headgate.store.HoldStore;
import io.headgate.store.HoldStore.Target;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
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

  /** Buckets, whose ids proxies take from requests, may take this part of the heap. */
  private static final int HEAP_DIVISOR = 16;

  private final Budget bytes =
      new Budget(
          "quota_bucket_bytes",
          Runtime.getRuntime().maxMemory() / HEAP_DIVISOR,
          "let the bucket ids of proxies have fewer and shorter values, or give the service a larger"
              + " heap (-Xmx)");

  private final RateLimiter limiter;
  private final QuotaSettings settings;
  private final LongSupplier nanos;
  private final long ttl;
  private final long roundTrip;
  private final Optional<HoldStore> store;
  private final QuotaAssigner<B> assigner;
  private final HoldRequests<B> holds;
  private final RuleUsage usage = new RuleUsage();
  private final ShadowUsage shadow;
  private final Set<QuotaBucket<B>> buckets = ConcurrentHashMap.newKeySet(); // read without a lock
  private final Set<String> namedRules = new LinkedHashSet<>(); // rules and costs that were logged
  private final AtomicLong streams = new AtomicLong();
  private final Budget streamBudget;
  private final Budget bucketBudget;
  private final LongAdder admitted = new LongAdder();
  private final LongAdder denied = new LongAdder();
  private final LongAdder clamped = new LongAdder();
  private final LongAdder unassigned = new LongAdder();
  private final LongAdder expired = new LongAdder();

  /**
   * Creates a book without streams.
   *
   * @param limiter its rules apply, and its store holds the permits
   * @param nanos a monotonic clock
   */
  public QuotaBook(RateLimiter limiter, QuotaSettings settings, LongSupplier nanos) {
    this.limiter = limiter;
    this.store = limiter.store().holds();
    this.assigner = new QuotaAssigner<>(settings);
    this.holds = new HoldRequests<>(settings, nanos, this, this::served, assigner::flush);
    this.shadow = new ShadowUsage(limiter.store(), this::wouldDeny);
    this.settings = settings;
    this.streamBudget =
        new Budget("quota_streams", settings.maxStreams(), streams::get, "add instances");
    this.bucketBudget =
        new Budget(
            "quota_buckets",
            settings.maxBuckets(),
            buckets::size,
            "do not sort requests into buckets by values that callers choose, or add instances");
    this.nanos = nanos;
    this.ttl = settings.ttl().toNanos();
    this.roundTrip = settings.roundTrip().toNanos();
  }

  /** Returns the use of streams, and their refusals. */
  public Budget streamBudget() {
    return streamBudget;
  }

  /** Returns the use of streams and of buckets, and their refusals. */
  public List<Budget> budgets() {
    return List.of(streamBudget, bucketBudget, bytes);
  }

  /**
   * Opens the stream of a proxy.
   *
   * @param sink receives the actions to send, on any thread, while the book is locked; must return
   *     at once
   * @return empty if there are too many streams
   */
  public synchronized Optional<QuotaStream<B>> open(Consumer<List<QuotaAction<B>>> sink) {
    if (streams.get() >= settings.maxStreams()) {
      streamBudget.refuse();
      return Optional.empty();
    }
    streams.incrementAndGet();
    return Optional.of(new QuotaStream<>(sink));
  }

  /**
   * Closes a stream. The permits of its proxy stay held until its assignments have expired, since
   * it may still spend them, and are charged then.
   */
  public synchronized void close(QuotaStream<B> stream) {
    if (stream.closed) return;
    stream.closed = true;
    streams.decrementAndGet();
    // The proxy may not have received that a bucket is abandoned.
    for (var bucket : stream.buckets.values()) bucket.abandoned = false;
    stream.buckets.clear();
    assigner.drop(stream);
  }

  /** Settles the reports of a message and assigns quotas, now or when the store has replied. */
  public synchronized void report(QuotaStream<B> stream, List<QuotaUsage<B>> usages) {
    if (stream.closed) return;
    long now = nanos.getAsLong();
    for (var usage : usages) report(stream, usage, now);
    assigner.flush();
  }

  private void report(QuotaStream<B> stream, QuotaUsage<B> usage, long now) {
    var bucket = stream.buckets.get(usage.id());
    boolean first = bucket == null;
    if (bucket == null) {
      boolean isFull = isFull(stream);
      if (isFull) bucketBudget.refuse();
      if (isFull || !bytes.tryTake(QuotaBucket.bytesOf(usage.subject()))) {
        assigner.refuse(stream, usage.id());
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
    Optional<Plan> plan;
    QuotaPlan quota;
    try {
      var requests = List.of(Request.of(bucket.subject, 1));
      plan = Optional.of(limiter.plans(requests).getFirst());
      quota = QuotaPlan.of(plan.get(), store, settings.leaseMicros());
    } catch (InvalidCostException e) {
      plan = Optional.empty();
      quota = denied(e);
    }
    long most = bucket.demand.most(now, roundTrip);
    long denials = Math.min(usage.denied(), most);
    long requests = Math.min(usage.admitted(), Math.min(most, mostAdmitted(bucket, quota)));
    clamped.add(usage.admitted() - requests + usage.denied() - denials);
    admitted.add(requests);
    denied.add(denials);
    bucket.quiet = requests + denials == 0;
    if (!first) bucket.demand = bucket.demand.reported(requests + denials, now);
    settle(bucket, requests, now);
    bucket.rules = plan.map(QuotaBook::rules).orElse(List.of());
    this.usage.reported(bucket.rules, requests, denials);
    plan.ifPresent(one -> shadow.report(one, requests));
    apply(quota, bucket, requests, first, now);
  }

  /**
   * Returns how many admitted requests a report can count: those of the assignments, and as many
   * without one as the limits have permits. More would change no charge.
   */
  private static long mostAdmitted(QuotaBucket<?> bucket, QuotaPlan quota) {
    if (!(quota instanceof QuotaPlan.Assignable(var targets))) return Long.MAX_VALUE;
    long capacity = Long.MAX_VALUE;
    for (var target : targets) {
      capacity = Math.min(capacity, ((Holdable) target.charge().limit()).capacity());
    }
    return capacity + bucket.charged();
  }

  /** Denies the requests under a rule that requires a named cost, which no assignment has. */
  private QuotaPlan denied(InvalidCostException problem) {
    if (namedRules.size() < MAX_NAMED_RULES && namedRules.add("cost " + problem.cost())) {
      LOG.warn(
          "proxies deny the requests of a bucket, since cost '{}' {}. Quota assignments have no"
              + " named costs; use Envoy's rate limit service",
          problem.cost(),
          problem.getMessage());
    }
    return new QuotaPlan.Denied();
  }

  private static List<String> rules(Plan plan) {
    if (plan.isExempt()) return List.of();
    return plan.parts().stream()
        .filter(part -> !part.isUnlimited())
        .map(part -> part.rule().id())
        .toList();
  }

  private void wouldDeny(String rule, long requests) {
    if (requests > 0) usage.wouldDeny(rule, requests);
  }

  private boolean isFull(QuotaStream<B> stream) {
    return stream.buckets.size() >= settings.maxBucketsPerStream()
        || buckets.size() >= settings.maxBuckets();
  }

  private void settle(QuotaBucket<B> bucket, long requests, long now) {
    long unpaid = requests - bucket.deduct(requests, now, roundTrip);
    var settled = bucket.assignment.reported(unpaid, now, roundTrip);
    bucket.assignment = settled.next();
    bucket.settle(settled.spent(), 0, settled.returned());
    if (!bucket.holds.isEmpty()) charge(bucket, settled.unassigned());
  }

  /** Charges requests that the proxy has admitted without an assignment, as far as possible. */
  private void charge(QuotaBucket<B> bucket, long requests) {
    if (requests == 0) return;
    unassigned.add(requests);
    bucket.settle(0, requests, 0);
  }

  /** Applies the rules in force to a bucket whose report has been settled. */
  private void apply(
      QuotaPlan plan, QuotaBucket<B> bucket, long requests, boolean first, long now) {
    switch (plan) {
      case QuotaPlan.Unlimited unlimited -> assigner.blanket(bucket, new AllowAll(), now);
      case QuotaPlan.Denied denied -> assigner.blanket(bucket, new DenyAll(), now);
      case QuotaPlan.Unassignable(var rule, var reason) -> {
        logUnassignable(rule, reason);
        assigner.blanket(bucket, new DenyAll(), now);
      }
      case QuotaPlan.Assignable(var targets) -> {
        follow(bucket, targets, now);
        if (first) charge(bucket, requests); // the counters were unknown when it was settled
        bucket.want(wanted(bucket));
        bucket.pushed = false;
        if (requests > 0 || bucket.isDue() || assigner.isExtensionDue(bucket, now))
          holds.await(bucket);
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
    if (!next.equals(bucket.holds)) assigner.replaceHolds(bucket, next, now);
  }

  /** Assigns permits to a bucket whose counters have all replied. */
  private void served(QuotaBucket<B> bucket) {
    if (!bucket.stream.closed) assigner.assign(bucket, nanos.getAsLong());
  }

  /**
   * Expires assignments, abandons idle buckets, and releases permits that no assignment needs. To
   * be called several times a second.
   */
  public synchronized void tick() {
    long now = nanos.getAsLong();
    for (var bucket : List.copyOf(buckets)) tick(bucket, now);
    holds.sync(now);
    assigner.flush();
  }

  private void tick(QuotaBucket<B> bucket, long now) {
    bucket.presumeEnded(now, roundTrip);
    if (bucket.abandoned && now - bucket.assignment.sentAt() >= roundTrip) {
      bucket.release(now);
      remove(bucket);
    } else if (bucket.assignment.isExpired(now, ttl, roundTrip)) {
      expired.add(bucket.assignment.outstanding());
      usage.expired(bucket.rules, bucket.assignment.outstanding());
      bucket.expire(now);
      if (bucket.stream.closed) remove(bucket);
    } else if (!bucket.abandoned
        && !bucket.stream.closed
        && now - bucket.demand.activeAt() >= settings.idle().toNanos()) {
      assigner.abandon(bucket, now);
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
    if (buckets.remove(bucket)) bytes.giveBack(QuotaBucket.bytesOf(bucket.subject));
    bucket.stream.buckets.remove(bucket.id, bucket);
  }

  /**
   * Returns the present figures. Takes no lock, since it reads all buckets: figures of one call may
   * be of different moments.
   */
  public QuotaStats stats() {
    var inForce = new HashSet<String>();
    for (var rule : limiter.rules().rules()) inForce.add(rule.id());
    return new QuotaStats(
        streams.get(),
        buckets.size(),
        holds.outstanding(),
        admitted.sum(),
        denied.sum(),
        clamped.sum(),
        unassigned.sum(),
        expired.sum(),
        usage.stats(buckets, inForce));
  }
}
