package io.headgate.client;

import io.headgate.Costs;
import io.headgate.Decision;
import io.headgate.load.CompletedCall;
import io.headgate.rule.Request;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Asks a Headgate service, with the method names of {@link io.headgate.RateLimiter}.
 *
 * {@snippet file="io/headgate/client/ClientExamplesTest.java" region="check"}
 *
 * <p>A call takes at most its deadline. While the service is unavailable, the {@link FailureMode}
 * decides, and {@link RemoteResult#failure} has the reason. Both are set by {@link ClientOptions},
 * and for single calls by {@link #within} and {@link #onFailure}. No request that charges is
 * repeated, since one without a response may have been charged. Concurrent checks share requests,
 * and denials are cached until their retry time. With {@link ClientOptions.Builder#localLeases} the
 * client also decides checks of frequent subjects by itself.
 *
 * <p>Safe for use by several threads. One client serves the whole program; it keeps connections
 * open until it is closed. Stages complete on a thread of the common pool, so that blocking code
 * must continue on another executor.
 */
public final class HeadgateClient implements AutoCloseable {
  /** The retry time of a denial by {@link FailureMode#DENY}. */
  public static final Duration FAILURE_RETRY = Duration.ofSeconds(1);

  private final Shared shared;
  private final ServiceCalls calls;

  /** The parts that all views of a client share, beside the connection. */
  private record Shared(
      CheckBatcher batcher, RepeatedDenials denials, @Nullable LocalLeases leases) {}

  private HeadgateClient(Shared shared, ServiceCalls calls) {
    this.shared = shared;
    this.calls = calls;
  }

  /** Creates a client with the default options. Opens no connection yet. */
  public static HeadgateClient connect(String url) {
    return connect(ClientOptions.builder(url).build());
  }

  /** Creates a client. Opens no connection yet. */
  public static HeadgateClient connect(ClientOptions options) {
    var connection = new ServiceConnection(options);
    var replies = new ServiceReplies(options);
    long nanos = options.deadline().toNanos();
    var batcher =
        new CheckBatcher(
            connection,
            replies,
            options,
            slot -> {
              var unused = connection.send("DELETE", path(slot), ServiceCalls.NO_BODY, nanos);
            });
    var denials = new RepeatedDenials(options.maxDenialAge());
    var leases = options.localLeases() > 0 ? LocalLeases.start(connection, options) : null;
    return new HeadgateClient(
        new Shared(batcher, denials, leases),
        new ServiceCalls(connection, replies, options.deadline(), options.failureMode()));
  }

  /** Returns a view of this client with another deadline, which shares everything else. */
  public HeadgateClient within(Duration deadline) {
    return new HeadgateClient(shared, calls.within(deadline));
  }

  /** Returns a view of this client with another failure mode, which shares everything else. */
  public HeadgateClient onFailure(FailureMode mode) {
    return new HeadgateClient(shared, calls.onFailure(mode));
  }

  /** Checks a request of cost 1, and charges it if it is allowed. */
  public Decision check(Subject subject) {
    return check(Request.of(subject));
  }

  /**
   * Checks a request, and charges its costs if it is allowed.
   *
   * @throws RequestRejectedException if the service rejects the request
   * @throws HeadgateException if the service is unavailable and the failure mode is THROW
   */
  public Decision check(Request request) {
    return checkForResult(request).decision();
  }

  /** Checks a request of cost 1 as {@link #checkAsync(Request)} does. */
  public CompletionStage<Decision> checkAsync(Subject subject) {
    return checkAsync(Request.of(subject));
  }

  /** Checks as {@link #check(Request)} does, without blocking the calling thread. */
  public CompletionStage<Decision> checkAsync(Request request) {
    return checkForResultAsync(request).thenApply(RemoteResult::decision);
  }

  /** Checks a request of cost 1 as {@link #checkForResult(Request)} does. */
  public RemoteResult checkForResult(Subject subject) {
    return checkForResult(Request.of(subject));
  }

  /** Checks as {@link #check(Request)} does, and returns the state of every limit as well. */
  public RemoteResult checkForResult(Request request) {
    return calls.await(() -> result(request));
  }

  /** Checks a request of cost 1 as {@link #checkForResultAsync(Request)} does. */
  public CompletionStage<RemoteResult> checkForResultAsync(Subject subject) {
    return checkForResultAsync(Request.of(subject));
  }

  /** Checks as {@link #checkForResult(Request)} does, without blocking the calling thread. */
  public CompletionStage<RemoteResult> checkForResultAsync(Request request) {
    return ServiceCalls.handedOver(result(request));
  }

  /**
   * Checks several requests, each on its own, in one call of the service or few. Unlike {@link
   * io.headgate.RateLimiter#checkAll}, some may be allowed and others denied. The service decides
   * the requests of one call in order.
   *
   * @return the results in the order of the requests
   */
  public List<RemoteResult> checkEach(List<Request> requests) {
    return calls.connection().blocking(() -> checkAll(requests)).stream()
        .map(ServiceCalls::join)
        .toList();
  }

  private CompletableFuture<RemoteResult> result(Request request) {
    return checkAll(List.of(request)).getFirst();
  }

  private List<CompletableFuture<RemoteResult>> checkAll(List<Request> requests) {
    long now = System.nanoTime();
    var results = new ArrayList<CompletableFuture<RemoteResult>>(requests.size());
    var pending = new ArrayList<PendingCheck>(requests.size());
    for (var request : requests) {
      var leased = shared.leases == null ? null : shared.leases.spend(request, now);
      var cached =
          leased == null ? shared.denials.find(request, now) : Optional.<RemoteResult>empty();
      if (leased != null) {
        results.add(CompletableFuture.completedFuture(leased));
      } else if (cached.isPresent()) {
        results.add(CompletableFuture.completedFuture(cached.get()));
      } else if (!calls.connection().isWorthAsking()) {
        results.add(calls.decided(ServiceCalls.skipped()));
      } else {
        var lease = shared.leases == null ? null : shared.leases.requested(request, now);
        if (lease != null) {
          results.add(lease.thenCompose(reply -> checkAfterLease(request, now)));
        } else {
          results.add(pending(request, calls.deadline(), now, pending));
        }
      }
    }
    shared.batcher.submit(pending);
    return results;
  }

  private CompletableFuture<RemoteResult> pending(
      Request request, Duration timeLeft, long now, List<PendingCheck> pending) {
    var check = new PendingCheck(request, timeLeft, calls.connection());
    pending.add(check);
    return calls.decided(check.result()).whenComplete((r, e) -> remember(request, r, now));
  }

  /** Decides by a lease that was just requested or, if there is none, at the service. */
  private CompletableFuture<RemoteResult> checkAfterLease(Request request, long startedAt) {
    long now = System.nanoTime();
    var leased = shared.leases == null ? null : shared.leases.spendAgain(request, now);
    if (leased != null) return CompletableFuture.completedFuture(leased);
    long left = Math.max(1, calls.deadline().toNanos() - (now - startedAt));
    var pending = new ArrayList<PendingCheck>(1);
    var result = pending(request, Duration.ofNanos(left), now, pending);
    shared.batcher.submit(pending);
    return result;
  }

  private void remember(Request request, @Nullable RemoteResult result, long sentAt) {
    if (result != null && result.failure().isEmpty()) shared.denials.add(request, result, sentAt);
  }

  /** Peeks at a request of cost 1 as {@link #peek(Request)} does. */
  public RemoteResult peek(Subject subject) {
    return peek(Request.of(subject));
  }

  /** Returns whether a check of the request would be allowed now. Charges nothing. */
  public RemoteResult peek(Request request) {
    return calls.await(() -> calls.decide("/v1/peek", request));
  }

  /**
   * Checks a request, and sleeps for the delay if it is queued. Best called from a virtual thread.
   *
   * @throws InterruptedException if the thread is interrupted while it sleeps; the request stays
   *     charged
   */
  public Decision await(Request request) throws InterruptedException {
    var result = checkForResult(request);
    if (!result.delay().isZero()) Thread.sleep(result.delay());
    return result.decision();
  }

  /** Acquires slots for a request of cost 1 as {@link #acquire(Request)} does. */
  public RemoteSlot acquire(Subject subject) {
    return acquire(Request.of(subject));
  }

  /**
   * Checks a request, and returns the acquired slots as a resource. A slot whose response does not
   * arrive within the deadline expires at the service after the limit's lease.
   */
  public RemoteSlot acquire(Request request) {
    return calls.await(() -> slot(request));
  }

  /** Acquires slots as {@link #acquire(Request)} does, without blocking the calling thread. */
  public CompletionStage<RemoteSlot> acquireAsync(Request request) {
    return ServiceCalls.handedOver(slot(request));
  }

  private CompletableFuture<RemoteSlot> slot(Request request) {
    return calls.decide("/v1/slots", request).thenApply(result -> new RemoteSlot(this, result));
  }

  /**
   * Renews the slots of one request, so that they expire a full lease from now.
   *
   * @return false if one of the slots has expired or was released
   * @throws HeadgateException if the service is unavailable or rejects the request, in every
   *     failure mode
   */
  public boolean renew(String slotId) {
    return calls.await(() -> changeSlot("PUT", path(slotId)));
  }

  /** Releases the slots of one request. Returns and fails as {@link #renew} does. */
  public boolean release(String slotId) {
    return calls.await(() -> changeSlot("DELETE", path(slotId)));
  }

  /** Releases the slots of one request after a call, from which adaptive limits learn. */
  public boolean release(String slotId, CompletedCall call) {
    return calls.await(() -> changeSlot("DELETE", path(slotId, call)));
  }

  /** Releases as {@link #release(String)} does, without blocking the calling thread. */
  public CompletionStage<Boolean> releaseAsync(String slotId) {
    return ServiceCalls.handedOver(changeSlot("DELETE", path(slotId)));
  }

  /** Releases as {@link #release(String, CompletedCall)} does, without blocking. */
  public CompletionStage<Boolean> releaseAsync(String slotId, CompletedCall call) {
    return ServiceCalls.handedOver(changeSlot("DELETE", path(slotId, call)));
  }

  private CompletableFuture<Boolean> changeSlot(String method, String path) {
    return calls
        .send(method, path, ServiceCalls.NO_BODY)
        .handle((response, failure) -> {
          if (failure != null) throw calls.replies().failure(failure);
          if (response.status() / 100 == 2) return true;
          var problem = calls.replies().problem(response);
          if (problem instanceof RequestRejectedException no && no.status() == 404) return false;
          throw problem;
        });
  }

  private static String path(String slotId) {
    return "/v1/slots/" + ServiceCalls.segment(slotId);
  }

  private static String path(String slotId, CompletedCall call) {
    return "%s?outcome=%s&durationMs=%s"
        .formatted(
            path(slotId),
            call.outcome().name().toLowerCase(Locale.ROOT),
            millis(call.durationMicros()));
  }

  private static String millis(long micros) {
    return "%d.%03d".formatted(micros / 1_000, micros % 1_000);
  }

  /** Reserves as {@link #reserve(Request, Duration)} does, for the time to live of the rules. */
  public RemoteReservation reserve(Request request) {
    return reserve(request, ReservationSettings.MAX_TTL);
  }

  /**
   * Reserves as {@link #reserve(Request, Duration)} does.
   *
   * @param estimate the costs; the plain one is 1 if it is missing
   */
  public RemoteReservation reserve(Subject subject, Costs estimate, Duration ttl) {
    return reserve(request(subject, estimate), ttl);
  }

  /**
   * Reserves the estimated costs of a request whose real cost is known only when it is over, as
   * {@link io.headgate.RateLimiter#reserve(Request, Duration)} does. While the service is
   * unavailable, the failure mode decides.
   *
   * <p>A reservation whose response is lost is not repeated. It expires at the service, and is
   * charged as {@code on-expiry} of its rules says.
   *
   * @param ttl the time after which the reservation expires unless it is updated; the shortest time
   *     of the rules if that is shorter
   * @throws IllegalArgumentException if {@code ttl} is shorter than a second or longer than an hour
   * @throws RequestRejectedException if the service rejects the request
   * @throws HeadgateException if the service is unavailable and the failure mode is THROW
   */
  public RemoteReservation reserve(Request request, Duration ttl) {
    return calls.await(() -> reservations().reserve(request, ttl));
  }

  /** Reserves as {@link #reserve(Request)} does, without blocking the calling thread. */
  public CompletionStage<RemoteReservation> reserveAsync(Request request) {
    return reserveAsync(request, ReservationSettings.MAX_TTL);
  }

  /** Reserves as {@link #reserve(Subject, Costs, Duration)} does, without blocking. */
  public CompletionStage<RemoteReservation> reserveAsync(
      Subject subject, Costs estimate, Duration ttl) {
    return reserveAsync(request(subject, estimate), ttl);
  }

  /** Reserves as {@link #reserve(Request, Duration)} does, without blocking the calling thread. */
  public CompletionStage<RemoteReservation> reserveAsync(Request request, Duration ttl) {
    return ServiceCalls.handedOver(reservations().reserve(request, ttl));
  }

  private static Request request(Subject subject, Costs estimate) {
    return new Request(subject, estimate.plain().orElse(1), estimate.named());
  }

  /**
   * Returns the operations on reservations by their ids, with the deadline and the failure mode of
   * this client.
   */
  public RemoteReservations reservations() {
    return new RemoteReservations(calls);
  }

  /**
   * Charges the costs of a request that was made without a check, even if they exceed the limits.
   * Later requests are denied until the debt is repaid. Not repeated: without a response it may or
   * may not have been charged.
   *
   * @return the state of the limits after the charge. Its {@link RemoteResult#failure} is present
   *     if the service did not confirm the charge
   * @throws RequestRejectedException if the service rejects the request
   * @throws HeadgateException if the service is unavailable and the failure mode is THROW
   */
  public RemoteResult charge(Request request) {
    return calls.await(() -> calls.decide("/v1/usage", request));
  }

  /** Charges as {@link #charge} does, without blocking the calling thread. */
  public CompletionStage<RemoteResult> chargeAsync(Request request) {
    return ServiceCalls.handedOver(calls.decide("/v1/usage", request));
  }

  /**
   * Closes the connections of this client and all its views. Checks that wait fail. Returns the
   * unused permits of local leases first, which takes a second at most.
   */
  @Override
  public void close() {
    if (shared.leases != null) shared.leases.close();
    shared.batcher.close();
    calls.connection().close();
  }
}
