package io.headgate.internal.script;

import io.headgate.internal.outage.CircuitBreakingStore;
import io.headgate.internal.outage.LastAnswers;
import io.headgate.internal.outage.Reporter;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.load.CompletedCall;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.OutageListener;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Divides the key space into failure domains, each with its own circuit breaker.
 *
 * <p>When one primary of a cluster fails, the slots of the other primaries remain available. The
 * owner of a slot can change, so a domain is a range of hash slots rather than a server. The ranges
 * are small enough that few of them span two servers. A single server is one domain. Thread-safe.
 */
public final class FailureDomainStore extends ForwardingStore {
  private static final int SLOTS = 16_384;
  private static final RuleSet PROBE_RULES =
      RuleSet.of(
          Rule.named("headgate-probe")
              .match("key", "*")
              .limit(TokenBucket.of(Rate.perSecond(1_000_000)))
              .build());

  private final List<CircuitBreakingStore> domains = new ArrayList<>();
  private final MemoryStore local;
  private final ToIntFunction<String> hashSlot;

  /**
   * Creates a store.
   *
   * @param count the number of failure domains
   * @param shared the store behind all domains; closed with this one
   * @param probe evaluates a plan on the server, to test whether it is available
   * @param reporter charges the server for permits that were admitted during an outage
   * @param hashSlot returns the hash slot of a counter's key
   * @param instances the number of instances that divide a limit during an outage
   */
  public FailureDomainStore(
      int count,
      Store shared,
      Consumer<Plan> probe,
      Reporter reporter,
      ToIntFunction<String> hashSlot,
      IntSupplier instances,
      OutageListener listener) {
    this(
        count,
        shared,
        MemoryStore.create(),
        hashSlot,
        listener,
        (plan, combined, local, answers) ->
            CircuitBreakingStore.aroundDomain(
                shared,
                () -> probe.accept(plan),
                instances,
                combined,
                local,
                answers,
                reporter,
                MemoryStore.DEFAULT_MAX_KEYS / count));
  }

  /** Creates the store of one failure domain. */
  public interface DomainStoreFactory {
    /** Creates the store of a failure domain. */
    CircuitBreakingStore create(
        Plan probe, OutageListener listener, MemoryStore local, LastAnswers answers);
  }

  /**
   * Creates a store whose domains are created by a factory.
   *
   * @param shared the store behind all domains; closed with this one
   * @param local the counters of the failure policy local, shared by all domains; closed with this
   *     store
   */
  public FailureDomainStore(
      int count,
      Store shared,
      MemoryStore local,
      ToIntFunction<String> hashSlot,
      OutageListener listener,
      DomainStoreFactory factory) {
    super(shared);
    this.local = local;
    this.hashSlot = hashSlot;
    var combined = new CombinedListener(listener);
    var answers = new LastAnswers();
    for (int domain = 0; domain < count; domain++) {
      domains.add(factory.create(probePlan(domain, count), combined, local, answers));
    }
  }

  /** Returns an ordinary plan in a domain, so that a probe fails whenever decisions would. */
  private Plan probePlan(int domain, int count) {
    for (int i = 0; ; i++) {
      var key = "probe" + i;
      if (domainOf(hashSlot.applyAsInt(key), count) == domain) {
        return PROBE_RULES.plan(Request.of(Subject.of(key)), 0, 0);
      }
    }
  }

  private CircuitBreakingStore domainOf(String key) {
    return domains.size() == 1
        ? domains.getFirst()
        : domains.get(domainOf(hashSlot.applyAsInt(key), domains.size()));
  }

  /** Returns the domain of a hash slot, out of {@code count}. */
  public static int domainOf(int slot, int count) {
    return slot * count / SLOTS;
  }

  /**
   * Returns the domain that decides a plan: its only domain, or one that is unavailable, since a
   * plan that spans domains is decided by failure policies if any of them is unavailable. Null if
   * the plan spans several domains that are all available.
   */
  private @Nullable CircuitBreakingStore domainOf(Plan plan) {
    if (domains.size() == 1 || plan.charges().isEmpty()) return domains.getFirst();
    CircuitBreakingStore single = null;
    boolean spansDomains = false;
    for (var charge : plan.charges()) {
      var domain = domainOf(charge.key());
      if (domain.isUnavailable()) return domain;
      spansDomains |= single != null && !single.equals(domain);
      single = domain;
    }
    return spansDomains ? null : single;
  }

  /** Returns the domains of the keys that a failure names; empty if it names no keys. */
  private Set<CircuitBreakingStore> domainsOf(Throwable problem) {
    var failed = new LinkedHashSet<CircuitBreakingStore>();
    if (problem instanceof StoreException failure) {
      for (var key : failure.keys()) failed.add(domainOf(key));
    }
    return failed;
  }

  private long nextRequest() {
    return domains.getFirst().nextRequest();
  }

  private PlanResult onSuccess(Plan plan, PlanResult result, long request) {
    domains.getFirst().recordAnswers(plan, result, request); // all domains have the same answers
    return onPeeked(plan, result);
  }

  private PlanResult onPeeked(Plan plan, PlanResult result) {
    if (result.source() == Source.STORE) {
      for (var charge : plan.charges()) domainOf(charge.key()).recordSuccess();
    }
    return result;
  }

  /**
   * Records a failure in the domains that it concerns, and in no other domain of the plan.
   *
   * @return the domain whose outage the failure policies apply to
   */
  private CircuitBreakingStore onFailure(Plan plan, Throwable problem) {
    var failed = domainsOf(Failures.rootOf(problem));
    failed.forEach(domain -> domain.recordFailure(Failures.rootOf(problem)));
    return failed.isEmpty() ? domainOf(plan.charges().getFirst().key()) : failed.iterator().next();
  }

  /** Returns whether the circuit breaker of any domain is open. */
  public boolean isUnavailable() {
    return domains.stream().anyMatch(CircuitBreakingStore::isUnavailable);
  }

  /**
   * Returns the time of the first failure of the longest outage, in microseconds since the epoch;
   * empty while all domains are available.
   */
  public OptionalLong unavailableSince() {
    return domains.stream()
        .map(CircuitBreakingStore::unavailableSince)
        .flatMapToLong(OptionalLong::stream)
        .min();
  }

  /** Returns the message of the last failure, preferably of an unavailable domain. */
  public Optional<String> lastProblem() {
    return domains.stream()
        .filter(CircuitBreakingStore::isUnavailable)
        .findFirst()
        .or(() -> domains.stream().filter(domain -> domain.lastProblem().isPresent()).findFirst())
        .flatMap(CircuitBreakingStore::lastProblem);
  }

  @Override
  public PlanResult decide(Plan plan) {
    var domain = domainOf(plan);
    if (domain != null) return domain.decide(plan);
    long request = nextRequest();
    try {
      return onSuccess(plan, delegate().decide(plan), request);
    } catch (RuntimeException e) {
      return onFailure(plan, e).decideWithoutStore(plan, Failures.rootOf(e), request);
    }
  }

  @Override
  public CompletionStage<PlanResult> decideAsync(Plan plan) {
    return decideAsync(plan, delegate()::decideAsync);
  }

  /**
   * Decides a plan by a function that replaces the store behind the domains.
   *
   * @param decide fails as the store does
   */
  public CompletionStage<PlanResult> decideAsync(
      Plan plan, Function<Plan, CompletionStage<PlanResult>> decide) {
    var domain = domainOf(plan);
    if (domain != null) return domain.decideAsync(plan, decide);
    long request = nextRequest();
    CompletionStage<PlanResult> pending;
    try {
      pending = decide.apply(plan);
    } catch (RuntimeException e) {
      pending = CompletableFuture.failedFuture(e);
    }
    return pending.handle((result, problem) ->
        problem == null
            ? onSuccess(plan, result, request)
            : onFailure(plan, problem).decideWithoutStore(plan, Failures.rootOf(problem), request));
  }

  @Override
  public PlanResult peek(Plan plan) {
    var domain = domainOf(plan);
    if (domain != null) return domain.peek(plan);
    try {
      return onPeeked(plan, delegate().peek(plan));
    } catch (RuntimeException e) {
      return onFailure(plan, e).peekByPolicy(plan);
    }
  }

  @Override
  public boolean renew(Charge charge) {
    return domainOf(charge.key()).renew(charge);
  }

  @Override
  public boolean release(Charge charge) {
    return domainOf(charge.key()).release(charge);
  }

  @Override
  public boolean release(Charge charge, CompletedCall call) {
    return domainOf(charge.key()).release(charge, call);
  }

  @Override
  public void reset(Counter counter, String key) {
    domainOf(key).reset(counter, key);
  }

  /**
   * Returns the number of keys on all servers, or the number of local counters if a server does not
   * reply. Such a failure is not recorded, since it concerns no particular domain.
   */
  @Override
  public long trackedKeys() {
    if (domains.size() == 1) return domains.getFirst().trackedKeys();
    if (isUnavailable()) return local.trackedKeys();
    try {
      return delegate().trackedKeys();
    } catch (StoreException e) {
      return local.trackedKeys();
    }
  }

  /** Stops all domains, then closes the stores that they share. */
  @Override
  public void close() {
    domains.forEach(CircuitBreakingStore::stop);
    local.close();
    super.close();
  }

  /**
   * Reports overlapping outages of several domains as one, from the first start to the last end.
   */
  private static final class CombinedListener implements OutageListener {
    private final OutageListener listener;
    private int openCount; // guarded by this
    private long longestOutage; // guarded by this

    CombinedListener(OutageListener listener) {
      this.listener = listener;
    }

    @Override
    public void failed(StoreException.Kind kind) {
      listener.failed(kind);
    }

    @Override
    public void decidedLate(boolean allowed) {
      listener.decidedLate(allowed);
    }

    @Override
    public synchronized void opened(String message) {
      if (openCount++ == 0) listener.opened(message);
    }

    @Override
    public synchronized void closed(long outageMicros) {
      longestOutage = Math.max(longestOutage, outageMicros);
      if (--openCount > 0) return;
      listener.closed(longestOutage);
      longestOutage = 0;
    }
  }
}
