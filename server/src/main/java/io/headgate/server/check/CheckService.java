package io.headgate.server.check;

import io.headgate.CheckResult;
import io.headgate.ClientLeases;
import io.headgate.HeldPermits;
import io.headgate.JointResult;
import io.headgate.RateLimiter;
import io.headgate.Reservation;
import io.headgate.ReservationState;
import io.headgate.Reservations;
import io.headgate.http.QueueDetector;
import io.headgate.http.RoundedTimes;
import io.headgate.rule.CombinedPlan;
import io.headgate.rule.Request;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.stats.DecisionListener;
import io.headgate.server.store.StoreView;
import io.headgate.store.BatchScope;
import io.headgate.store.CallDeadline;
import io.headgate.store.StoreException;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Decides the calls of one event loop without blocking it, notifies the listener of each decision,
 * and records it in the trace of its call. With an in-memory store, calls complete immediately on
 * the event loop; with a remote store they are asynchronous and may take up to the store's timeout.
 *
 * <p>Results are passed on on the event loop. Not thread-safe: each event loop has its own.
 */
public final class CheckService {
  private static final String TOO_MANY =
      "too many requests wait for the store; try again in a second";
  private static final String NOT_RESERVED =
      "the store is unavailable, and a reservation needs it; try again in a second (permits that"
          + " were reserved without a response stay charged until the reservation expires)";
  private static final String REPEATABLE =
      "the store is unavailable, and this operation on a reservation needs it; repeat it in a"
          + " second: it is applied once (a reservation that is not settled expires by itself)";
  private static final String NO_LEASE =
      "the store is unavailable, and a permit lease needs it; check each request until it is back";
  private static final String NOT_LISTED =
      "the store is unavailable, and it lists the open reservations; try again in a second";
  private static final String USAGE_UNKNOWN =
      "the store is unavailable; the usage was charged in full, in part or not at all";

  /**
   * How long after its deadline a call ends without a decision. Only a store without failure
   * policies needs it; others decide at the deadline, unless this process has no CPU, and a late
   * decision is better than none.
   */
  private static final long GRACE_MILLIS = 1_000;

  private final Vertx vertx;
  private final RateLimiter limiter;
  private final DecisionListener listener;
  private final CostCheck costs;
  private final QueueDetector queues = new QueueDetector();
  private final boolean remote;

  /**
   * @param listener is notified of the decisions of this event loop
   * @param costs finds costs that no limit spends
   */
  public CheckService(
      Vertx vertx, RateLimiter limiter, DecisionListener listener, CostCheck costs) {
    this.vertx = vertx;
    this.limiter = limiter;
    this.listener = listener;
    this.costs = costs;
    this.remote = new StoreView(limiter.store()).isRemote();
  }

  /** Returns the check of costs, which callers make before a request is decided. */
  public CostCheck costs() {
    return costs;
  }

  /** Decides a request and passes the result to {@code then}. */
  public void check(PendingCall call, Request request, Consumer<CheckResult> then) {
    check(call, request, result -> result, then);
  }

  /**
   * Decides a request.
   *
   * @param counted returns the result that is counted, of the one that is passed to {@code then}
   */
  private void check(
      PendingCall call,
      Request request,
      UnaryOperator<CheckResult> counted,
      Consumer<CheckResult> then) {
    long startNanos = System.nanoTime();
    if (remote) {
      sendTogether();
      call.trace().storeCallStarted(1);
      var decided = limiter.checkForResultAsync(request).toCompletableFuture();
      boolean waited = !decided.isDone();
      call.whenComplete(
          decided,
          result -> {
            listener.decided(request, counted.apply(result), System.nanoTime() - startNanos);
            call.trace().decided(result, waited);
            then.accept(result);
          });
    } else {
      var result = limiter.checkForResult(request);
      listener.decided(request, counted.apply(result), System.nanoTime() - startNanos);
      call.trace().decided(result, false);
      then.accept(result);
    }
  }

  /**
   * Sends the requests that the event loop handles in its current iteration to the store together:
   * tasks run after all connections that have data have been read.
   */
  private static void sendTogether() {
    if (BatchScope.isOpen()) return;
    var eventLoop = Objects.requireNonNull(Vertx.currentContext(), "not on an event loop");
    var scope = BatchScope.open();
    try {
      eventLoop.runOnContext(woken -> scope.close());
    } catch (RuntimeException e) {
      scope.close(); // the event loop is stopping
      throw e;
    }
  }

  /**
   * Returns whether the rules treat all readings of one request alike: the same rules apply, and
   * the same counters are charged.
   *
   * @param nowMicros microseconds since the epoch
   */
  public boolean haveSameLimits(List<Request> readings, long nowMicros) {
    if (readings.size() == 1) return true;
    var rules = limiter.rules();
    return SameLimits.areIn(
        readings.stream().map(request -> rules.plan(request, nowMicros, 0)).toList());
  }

  /**
   * Decides a request whose client does not wait longer than {@code maxWaitMillis} for its delay. A
   * longer delay is counted as a denial.
   *
   * @param maxWaitMillis empty if the client waits for any delay
   * @param then receives the result
   * @param tooLong receives the result instead if its delay is longer; the request keeps no slot
   */
  public void checkWithin(
      PendingCall call,
      Request request,
      OptionalLong maxWaitMillis,
      Consumer<CheckResult> then,
      Consumer<CheckResult> tooLong) {
    if (maxWaitMillis.isEmpty()) {
      check(call, request, then);
    } else if (exceeds(queues.longestDelay(limiter.rules()), maxWaitMillis.getAsLong())) {
      // Peeks first: a request that is denied must not keep its place in the queue.
      long startNanos = System.nanoTime();
      long millis = maxWaitMillis.getAsLong();
      call(
          call,
          caller -> caller.peek(request),
          peeked -> {
            if (!exceeds(peeked, millis)) {
              checkNow(call, request, millis, then, tooLong);
              return;
            }
            listener.decided(request, within(peeked, millis), System.nanoTime() - startNanos);
            tooLong.accept(peeked);
          });
    } else {
      checkNow(call, request, maxWaitMillis.getAsLong(), then, tooLong);
    }
  }

  private void checkNow(
      PendingCall call,
      Request request,
      long maxWaitMillis,
      Consumer<CheckResult> then,
      Consumer<CheckResult> tooLong) {
    check(
        call,
        request,
        result -> within(result, maxWaitMillis),
        result -> {
          if (exceeds(result, maxWaitMillis)) {
            releaseSlots(result);
            tooLong.accept(result);
          } else {
            then.accept(result);
          }
        });
  }

  private static boolean exceeds(CheckResult result, long maxWaitMillis) {
    return exceeds(result.delay(), maxWaitMillis);
  }

  private static boolean exceeds(Duration delay, long maxWaitMillis) {
    return RoundedTimes.millis(RoundedTimes.micros(delay)) > maxWaitMillis;
  }

  private static CheckResult within(CheckResult result, long maxWaitMillis) {
    return exceeds(result, maxWaitMillis)
        ? result.withMaxWait(Duration.ofMillis(maxWaitMillis))
        : result;
  }

  /** Decides requests independently of each other, in their order. */
  public void checkEach(
      PendingCall call, List<Request> requests, Consumer<List<CheckResult>> then) {
    if (remote) {
      checkConcurrently(call, requests, then);
    } else {
      var results = checkSequentially(requests);
      call.trace().decided(results, false);
      then.accept(results);
    }
  }

  private List<CheckResult> checkSequentially(List<Request> requests) {
    var results = new ArrayList<CheckResult>(requests.size());
    long startNanos = System.nanoTime();
    for (var request : requests) {
      var result = limiter.checkForResult(request);
      long now = System.nanoTime();
      listener.decided(request, result, now - startNanos);
      results.add(result);
      startNanos = now;
    }
    return results;
  }

  /** Decides all requests concurrently, so each of them counts with the duration of the whole. */
  private void checkConcurrently(
      PendingCall call, List<Request> requests, Consumer<List<CheckResult>> then) {
    long startNanos = System.nanoTime();
    sendTogether();
    call.trace().storeCallStarted(requests.size());
    var results =
        requests.stream().map(r -> limiter.checkForResultAsync(r).toCompletableFuture()).toList();
    var together = CompletableFuture.allOf(results.toArray(CompletableFuture<?>[]::new));
    boolean waited = !together.isDone();
    call.whenComplete(
        together,
        all -> {
          var decided = results.stream().map(CompletableFuture::join).toList();
          notifyListener(requests, decided, startNanos);
          call.trace().decided(decided, waited);
          then.accept(decided);
        });
  }

  /**
   * Decides requests atomically: either all of them are charged or none. At the deadline, a store
   * with failure policies decides by them.
   *
   * @param planner makes the plan of all requests
   * @param deadline the time by which the client needs the result
   * @param expired is run if there is no result a second after the deadline, and may be run after a
   *     failure was answered; {@code then} is called nevertheless when there is a result, since the
   *     store may have charged the requests
   */
  public void checkAll(
      PendingCall call,
      List<Request> requests,
      Function<RateLimiter, CombinedPlan> planner,
      CallDeadline deadline,
      Runnable expired,
      Consumer<JointResult> then) {
    long startNanos = System.nanoTime();
    if (remote) {
      sendTogether();
      call.trace().storeCallStarted(1);
    }
    var decided =
        CallDeadline.within(deadline, () -> limiter.checkAllAsync(planner.apply(limiter)))
            .toCompletableFuture();
    if (decided.isDone()) {
      then.accept(decided(call, requests, decided.join(), startNanos, false));
      return;
    }
    expireAtDeadline(deadline, decided, expired);
    call.whenComplete(
        decided, result -> then.accept(decided(call, requests, result, startNanos, true)));
  }

  /** Ends the waits of a call at its deadline, and the call itself if that did not end it. */
  private void expireAtDeadline(
      CallDeadline deadline, CompletableFuture<?> decided, Runnable expired) {
    long millis = Math.max(1, deadline.length().toMillis());
    long timer =
        vertx.setTimer(
            millis,
            fired -> {
              deadline.expire();
              vertx.setTimer(
                  GRACE_MILLIS,
                  late -> {
                    if (!decided.isDone()) expired.run();
                  });
            });
    var unused = decided.whenComplete((result, problem) -> vertx.cancelTimer(timer));
  }

  private JointResult decided(
      PendingCall call,
      List<Request> requests,
      JointResult result,
      long startNanos,
      boolean waited) {
    notifyListener(requests, result.each(), startNanos);
    call.trace().decided(result.whole(), waited);
    return result;
  }

  private void notifyListener(List<Request> requests, List<CheckResult> results, long startNanos) {
    long nanos = System.nanoTime() - startNanos;
    for (int i = 0; i < requests.size(); i++) {
      listener.decided(requests.get(i), results.get(i), nanos);
    }
  }

  /**
   * Reserves the costs of a request.
   *
   * @param ttl the longest time for which to hold them without an update
   * @throws ProblemException if the store does not keep reservations, or has no room for another
   */
  public void reserve(PendingCall call, Request request, Duration ttl, Consumer<Reservation> then) {
    long startNanos = System.nanoTime();
    if (remote) {
      sendTogether();
      call.trace().storeCallStarted(1);
    }
    var reserved =
        orProblem(() -> limiter.reserveAsync(request, ttl), NOT_RESERVED).toCompletableFuture();
    boolean waited = !reserved.isDone();
    call.whenComplete(
        reserved,
        reservation -> {
          listener.decided(request, reservation.result(), System.nanoTime() - startNanos);
          call.trace().decided(reservation.result(), waited);
          then.accept(reservation);
        });
  }

  /**
   * Charges the costs of a request, even beyond its limits, and passes the state of the limits on.
   *
   * @throws ProblemException if the store does not support it
   */
  public void charge(PendingCall call, Request request, Consumer<CheckResult> then) {
    call.whenComplete(orProblem(() -> limiter.chargeAsync(request), USAGE_UNKNOWN), then);
  }

  /**
   * Updates, settles or cancels a reservation.
   *
   * @throws ProblemException if the store does not keep reservations
   */
  public void reservation(
      PendingCall call,
      Function<Reservations, CompletionStage<ReservationState>> operation,
      Consumer<ReservationState> then) {
    call.whenComplete(orProblem(() -> operation.apply(limiter.reservations()), REPEATABLE), then);
  }

  /**
   * Acquires, renews or releases a permit lease.
   *
   * @throws ProblemException if the store does not hold permits for clients
   */
  public <T> void lease(
      PendingCall call, Function<ClientLeases, CompletionStage<T>> operation, Consumer<T> then) {
    call.whenComplete(orProblem(() -> operation.apply(limiter.leases()), NO_LEASE), then);
  }

  /**
   * Passes on the number of open reservations, and the counters of which they hold most.
   *
   * @param rule selects rules by their id
   * @param max the highest number of counters
   * @throws ProblemException if the store does not keep reservations
   */
  public void reservationUsage(
      PendingCall call,
      Predicate<String> rule,
      int max,
      BiConsumer<Long, List<HeldPermits.Usage>> then) {
    call.whenComplete(
        orProblem(() -> limiter.reservations().largest(rule, max), NOT_LISTED),
        usages -> then.accept(limiter.reservations().openCount(), usages));
  }

  /**
   * Translates failures that the client can act on; all others stay as they are.
   *
   * @param unavailable the text for a store that can't be used
   */
  private static <T> CompletionStage<T> orProblem(
      Supplier<CompletionStage<T>> operation, String unavailable) {
    try {
      return operation
          .get()
          .exceptionallyCompose(thrown -> {
            var cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
            return CompletableFuture.failedStage(
                cause instanceof StoreException store
                    ? new ProblemException(
                        ProblemDocument.of(503, textOf(store, unavailable))
                            .with("Retry-After", "1"))
                    : thrown);
          });
    } catch (UnsupportedOperationException e) {
      throw new ProblemException(ProblemDocument.of(501, String.valueOf(e.getMessage())));
    }
  }

  private static String textOf(StoreException failure, String unavailable) {
    return switch (failure.kind()) {
      case FULL -> String.valueOf(failure.getMessage());
      case OVERLOADED -> TOO_MANY;
      case TIMEOUT, CONNECTION, REFUSED, INTERRUPTED, OTHER -> unavailable;
    };
  }

  /** Runs a blocking operation of the limiter: on a virtual thread if the store is remote. */
  public <T> void call(PendingCall call, Function<RateLimiter, T> operation, Consumer<T> then) {
    if (remote) call.whenComplete(onVirtualThread(() -> operation.apply(limiter)), then);
    else then.accept(operation.apply(limiter));
  }

  /**
   * Releases the slots of a request that its client can't release. If that fails the slots expire.
   */
  public void releaseSlots(CheckResult result) {
    result.slotId().ifPresent(this::release);
  }

  private void release(String slot) {
    if (remote) {
      var unused = onVirtualThread(() -> limiter.release(slot));
    } else {
      limiter.release(slot);
    }
  }

  private static <T> CompletableFuture<T> onVirtualThread(Supplier<T> operation) {
    return CompletableFuture.supplyAsync(operation, Thread::startVirtualThread);
  }
}
