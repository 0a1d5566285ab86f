package io.headgate;

import io.headgate.ClientLeaseToken.HoldRef;
import io.headgate.limit.HoldRequest;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome;
import io.headgate.rule.Charge;
import io.headgate.rule.Combine;
import io.headgate.rule.Consistency;
import io.headgate.rule.Plan;
import io.headgate.rule.Request;
import io.headgate.store.HoldStore;
import io.headgate.store.HoldStore.Reply;
import io.headgate.store.HoldStore.Target;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.Store;
import io.headgate.store.StoreException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Grants permit leases to clients, which then decide checks themselves.
 *
 * <p>A lease is for checks of one request: its subject and its costs. It holds permits of every
 * counter that such a check charges, so that charges and holds never exceed a limit ({@link
 * HoldStore}). Only rules that are {@code leased} or {@code auto} grant leases, and only limits
 * that are {@link Holdable}.
 *
 * <p>Thread-safe. Stages fail with a {@link StoreException} if the store does, and methods throw
 * {@link UnsupportedOperationException} if it holds no permits for clients.
 */
public final class ClientLeases {
  /** The longest time to live of a lease, and so the delay of a reset or a lowered limit. */
  public static final Duration MAX_TTL = Duration.ofSeconds(10);

  /** The largest number of checks that a client may wish or report. */
  public static final long MAX_CHECKS = 1_000_000;

  private static final long MIN_TTL_MICROS = 200_000;

  /** One lease has at most this part of a limit. */
  private static final long SHARE = 10;

  /** A client of unknown demand gets this part of the largest lease. */
  private static final long INITIAL_SHARE = 10;

  private static final long MIN_CHECKS = 2;

  private final Store store;
  private final Function<Request, Plan> planner;
  private final TokenReader tokens;
  private final SecureRandom random = new SecureRandom();

  ClientLeases(Store store, Function<Request, Plan> planner, TokenReader tokens) {
    this.store = store;
    this.planner = planner;
    this.tokens = tokens;
  }

  /**
   * Grants a lease for checks of a request. Charges nothing.
   *
   * @param checks how many checks the client expects to make within the time to live, at most
   *     {@link #MAX_CHECKS}; 0 if it does not know. The lease may have fewer
   */
  public CompletionStage<ClientLease> acquireAsync(Request request, long checks) {
    requireChecks(checks);
    var leases = leases();
    var plan = planner.apply(request);
    var targets = targets(leases, plan);
    var obstacle = obstacle(plan, targets);
    if (obstacle.isPresent()) return none(obstacle.get());
    long size = size(targets, checks);
    if (size < MIN_CHECKS) return none("the limit is too small to be divided among clients");
    var token = new ClientLeaseToken(random.nextLong() & ClientLeaseToken.MAX_HOLDER, 0, List.of());
    return hold(plan, targets, token, 0, size);
  }

  /**
   * Charges the checks that were made, and grants the next lease in place of this one. Until the
   * reply arrives, the client may go on to spend the rest of its lease.
   *
   * @param id the {@link ClientLease.Granted#id} of the last reply
   * @param request that of the lease
   * @param used how many checks of the lease were made, at most {@link #MAX_CHECKS}
   * @param checks as in {@link #acquireAsync}
   * @return fails with an {@link IllegalArgumentException} if {@code id} is not the id of a lease
   *     that an instance of this service has granted
   */
  public CompletionStage<ClientLease> renewAsync(
      String id, Request request, long used, long checks) {
    requireChecks(used);
    requireChecks(checks);
    return read(id).thenCompose(token -> renew(token, request, used, checks));
  }

  private CompletionStage<ClientLease> renew(
      ClientLeaseToken token, Request request, long used, long checks) {
    var leases = leases();
    var plan = planner.apply(request);
    var targets = targets(leases, plan);
    var obstacle = obstacle(plan, targets);
    long size = obstacle.isPresent() ? 0 : size(targets, checks);
    if (size >= MIN_CHECKS) return hold(plan, targets, token, used, size);
    return settle(targets, token, used)
        .thenCompose(done -> none(obstacle.orElse("the limit is too small to be divided")));
  }

  /**
   * Charges the checks that were made and returns the rest. The client must not spend any of it
   * from the moment at which it counted {@code used}.
   *
   * @return fails with an {@link IllegalArgumentException} if {@code id} is not the id of a lease
   *     that an instance of this service has granted
   */
  public CompletionStage<Void> releaseAsync(String id, Request request, long used) {
    requireChecks(used);
    return read(id)
        .thenCompose(token -> settle(targets(leases(), planner.apply(request)), token, used));
  }

  private CompletionStage<ClientLeaseToken> read(String id) {
    leases(); // a store without holds has granted no lease
    return tokens
        .read(secrets -> ClientLeaseToken.open(secrets, id))
        .thenApply(token ->
            token.orElseThrow(() ->
                new IllegalArgumentException(
                    "not a valid lease id; use the id of the last reply for this lease")));
  }

  private HoldStore leases() {
    return store
        .holds()
        .orElseThrow(() ->
            new UnsupportedOperationException("this store does not hold permits for clients"));
  }

  private static void requireChecks(long checks) {
    if (checks < 0 || checks > MAX_CHECKS) {
      throw new IllegalArgumentException(
          "a lease may have 0 to %d checks, got %d".formatted(MAX_CHECKS, checks));
    }
  }

  /** Returns where the permits of a plan's charges are held, without those of other limits. */
  private static List<Target> targets(HoldStore leases, Plan plan) {
    var targets = new ArrayList<Target>();
    for (var part : plan.parts()) {
      for (int i = part.from(); i < part.from() + part.counters().size(); i++) {
        var charge = plan.charges().get(i);
        if (charge.limit() instanceof Holdable) {
          var counter = charge.counter().withMaxDebt(part.rule().reservation());
          leases.targetOf(part, charge.withCounter(counter)).ifPresent(targets::add);
        }
      }
    }
    return targets;
  }

  /** Returns why the rules of a plan grant no lease; empty if they do. */
  private static Optional<String> obstacle(Plan plan, List<Target> targets) {
    if (plan.hasNoCharges()) return Optional.of("no limit applies to the request");
    if (plan.charges().size() > ClientLeaseToken.MAX_COUNTERS) {
      return Optional.of("more than %d limits apply".formatted(ClientLeaseToken.MAX_COUNTERS));
    }
    for (var part : plan.parts()) {
      if (part.isUnlimited()) continue;
      var mode = part.rule().consistency();
      if (mode != Consistency.LEASED && mode != Consistency.AUTO) {
        return Optional.of("rule '%s' is not leased".formatted(part.rule().id()));
      }
      if (!part.isEnforced() || part.shedding() != null || part.denies() || !isDivisible(part)) {
        return Optional.of("rule '%s' can't be leased".formatted(part.rule().id()));
      }
    }
    for (var charge : plan.charges()) {
      if (charge.cost() == 0) return Optional.of("the request has no cost for one of its limits");
    }
    if (targets.size() < plan.charges().size()) {
      return Optional.of("this region has no part of one of the limits");
    }
    if (ttlMicros(targets) < MIN_TTL_MICROS) {
      return Optional.of("leases of this region are too short for clients");
    }
    return Optional.empty();
  }

  /** Returns whether the rule charges all of its limits, and permits of each can be held. */
  private static boolean isDivisible(Plan.Part part) {
    var combine = part.rule().combine();
    boolean chooses = combine instanceof Combine.Any || combine instanceof Combine.Weighted;
    if (chooses && part.counters().size() > 1) return false;
    return part.counters().stream().allMatch(counter -> counter.limit() instanceof Holdable);
  }

  private static long size(List<Target> targets, long wish) {
    long max = MAX_CHECKS;
    for (var target : targets) {
      var charge = target.charge();
      max = Math.min(max, charge.limit().capacity() / SHARE / charge.cost());
    }
    return Math.min(max, Math.max(MIN_CHECKS, wish == 0 ? max / INITIAL_SHARE : wish));
  }

  private static long ttlMicros(List<Target> targets) {
    long ttl = MAX_TTL.toNanos() / 1_000;
    long max = Long.MAX_VALUE;
    for (var target : targets) {
      ttl = Math.min(ttl, target.charge().limit().window() / 2);
      max = Math.min(max, target.maxLease());
    }
    return Math.min(Math.max(ttl, MIN_TTL_MICROS), max);
  }

  private CompletionStage<ClientLease> hold(
      Plan plan, List<Target> targets, ClientLeaseToken token, long used, long size) {
    long order = token.order() + 1;
    long ttl = ttlMicros(targets);
    var replies = new ArrayList<CompletableFuture<Reply>>();
    for (var target : targets) {
      var charge = target.charge();
      var usage = usage(token, charge, used);
      // The client may spend the rest of its lease while it waits, so that rest stays held.
      long want = Math.max(size * charge.cost(), usage.held() - usage.spent());
      var request = new HoldRequest(token.holder(), order, usage, 0, want, ttl);
      replies.add(target.store().hold(charge, request).toCompletableFuture());
    }
    return all(replies)
        .thenCombine(
            tokens.secret(),
            (grants, secret) -> granted(plan, targets, token.holder(), order, ttl, grants, secret))
        .thenCompose(lease -> lease);
  }

  private CompletionStage<ClientLease> granted(
      Plan plan,
      List<Target> targets,
      long holder,
      long order,
      long ttl,
      List<Reply> grants,
      byte[] secret) {
    long checks = Long.MAX_VALUE;
    var outcomes = new ArrayList<Outcome>();
    var holds = new ArrayList<HoldRef>();
    for (int i = 0; i < grants.size(); i++) {
      var charge = targets.get(i).charge();
      var grant = grants.get(i);
      checks = Math.min(checks, grant.held() / charge.cost());
      outcomes.add(grant.outcome());
      holds.add(HoldRef.of(charge, grant.held(), grant.until()));
    }
    var result = new CheckResult(plan, new PlanResult(outcomes, Source.STORE), false);
    var token = new ClientLeaseToken(holder, order, holds);
    if (checks > 0) {
      long count = Math.min(checks, MAX_CHECKS);
      return CompletableFuture.completedStage(
          new ClientLease.Granted(token.seal(secret, tokens.nonce()), count, micros(ttl), result));
    }
    return settle(targets, token, 0)
        .thenApply(
            done -> new ClientLease.None("too few permits are left", false, Optional.of(result)));
  }

  /** Charges the used permits of each counter that the rules still have, and releases the rest. */
  private static CompletionStage<Void> settle(
      List<Target> targets, ClientLeaseToken token, long used) {
    var replies = new ArrayList<CompletableFuture<Reply>>();
    for (var target : targets) {
      var charge = target.charge();
      var usage = usage(token, charge, used);
      if (usage.held() == 0) continue;
      var request = new HoldRequest(token.holder(), token.order() + 1, usage, 0, 0, MIN_TTL_MICROS);
      replies.add(target.store().hold(charge, request).toCompletableFuture());
    }
    return all(replies).thenAccept(done -> {});
  }

  private static Usage usage(ClientLeaseToken token, Charge charge, long used) {
    var found = token.holdOn(charge);
    if (found.isEmpty()) return Usage.NONE;
    var hold = found.get();
    boolean all = charge.cost() > 0 && used > hold.held() / charge.cost();
    long spent = all ? hold.held() : used * charge.cost();
    boolean same = hold.terms() == ClientLeaseToken.termsOf((Holdable) charge.limit());
    return new Usage(spent, hold.held(), same ? hold.until() : 0);
  }

  private static CompletionStage<List<Reply>> all(List<CompletableFuture<Reply>> replies) {
    return CompletableFuture.allOf(replies.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> replies.stream().map(CompletableFuture::join).toList());
  }

  private static CompletionStage<ClientLease> none(String reason) {
    return CompletableFuture.completedStage(new ClientLease.None(reason, true, Optional.empty()));
  }

  private static Duration micros(long micros) {
    return Duration.ofNanos(micros * 1_000);
  }
}
