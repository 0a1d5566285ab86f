package io.headgate.client;

import io.headgate.Decision;
import io.headgate.load.CompletedCall;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks a Headgate service, with the method names of {@link io.headgate.RateLimiter}.
 *
 * {@snippet file="io/headgate/client/ClientExamplesTest.java" region="check"}
 *
 * <p>A call takes at most its deadline. While the service is unavailable, the {@link FailureMode}
 * decides, and {@link RemoteResult#failure} has the reason. Both are set by {@link ClientOptions},
 * and for single calls by {@link #within} and {@link #onFailure}. No request is repeated, since a
 * request without a response may have been charged. Concurrent checks share requests, and denials
 * are cached until their retry time. With {@link ClientOptions.Builder#localLeases} the client also
 * decides checks of frequent subjects by itself.
 *
 * <p>Safe for use by several threads. One client serves the whole program; it keeps connections
 * open until it is closed. Stages complete on a thread of the common pool, so that blocking code
 * must continue on another executor.
 */
public final class HeadgateClient implements AutoCloseable {
  /** The retry time of a denial by {@link FailureMode#DENY}. */
  public static final Duration FAILURE_RETRY = Duration.ofSeconds(1);

  private static final byte[] NO_BODY = {};

  private final Shared shared;
  private final Duration deadline;
  private final FailureMode failureMode;

  /** The parts that all views of a client share. */
  private record Shared(
      ServiceConnection connection,
      ServiceReplies replies,
      CheckBatcher batcher,
      RepeatedDenials denials,
      @Nullable LocalLeases leases) {}

  private HeadgateClient(Shared shared, Duration deadline, FailureMode failureMode) {
    this.shared = shared;
    this.deadline = deadline;
    this.failureMode = failureMode;
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
              var unused = connection.send("DELETE", path(slot), NO_BODY, nanos);
            });
    var denials = new RepeatedDenials(options.maxDenialAge());
    var leases = options.localLeases() > 0 ? LocalLeases.start(connection, options) : null;
    var shared = new Shared(connection, replies, batcher, denials, leases);
    return new HeadgateClient(shared, options.deadline(), options.failureMode());
  }

  /** Returns a view of this client with another deadline, which shares everything else. */
  public HeadgateClient within(Duration deadline) {
    return new HeadgateClient(shared, ClientOptions.requireDeadline(deadline), failureMode);
  }

  /** Returns a view of this client with another failure mode, which shares everything else. */
  public HeadgateClient onFailure(FailureMode mode) {
    return new HeadgateClient(shared, deadline, mode);
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
    return await(() -> result(request));
  }

  /** Checks a request of cost 1 as {@link #checkForResultAsync(Request)} does. */
  public CompletionStage<RemoteResult> checkForResultAsync(Subject subject) {
    return checkForResultAsync(Request.of(subject));
  }

  /** Checks as {@link #checkForResult(Request)} does, without blocking the calling thread. */
  public CompletionStage<RemoteResult> checkForResultAsync(Request request) {
    return handedOver(result(request));
  }

  /**
   * Checks several requests, each on its own, in one call of the service or few. Unlike {@link
   * io.headgate.RateLimiter#checkAll}, some may be allowed and others denied. The service decides
   * the requests of one call in order.
   *
   * @return the results in the order of the requests
   */
  public List<RemoteResult> checkEach(List<Request> requests) {
    return shared.connection.blocking(() -> checkAll(requests)).stream()
        .map(HeadgateClient::await)
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
      } else if (!shared.connection.isWorthAsking()) {
        results.add(skipped());
      } else {
        var lease = shared.leases == null ? null : shared.leases.requested(request, now);
        if (lease != null) {
          results.add(lease.thenCompose(reply -> checkAfterLease(request, now)));
        } else {
          results.add(pending(request, deadline, now, pending));
        }
      }
    }
    shared.batcher.submit(pending);
    return results;
  }

  private CompletableFuture<RemoteResult> pending(
      Request request, Duration timeLeft, long now, List<PendingCheck> pending) {
    var check = new PendingCheck(request, timeLeft, shared.connection);
    pending.add(check);
    return settled(check.result()).whenComplete((r, e) -> remember(request, r, now));
  }

  /** Decides by a lease that was just requested or, if there is none, at the service. */
  private CompletableFuture<RemoteResult> checkAfterLease(Request request, long startedAt) {
    long now = System.nanoTime();
    var leased = shared.leases == null ? null : shared.leases.spendAgain(request, now);
    if (leased != null) return CompletableFuture.completedFuture(leased);
    long left = Math.max(1, deadline.toNanos() - (now - startedAt));
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
    return await(() -> decide("/v1/peek", request));
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
    return await(() -> slot(request));
  }

  /** Acquires slots as {@link #acquire(Request)} does, without blocking the calling thread. */
  public CompletionStage<RemoteSlot> acquireAsync(Request request) {
    return handedOver(slot(request));
  }

  private CompletableFuture<RemoteSlot> slot(Request request) {
    return decide("/v1/slots", request).thenApply(result -> new RemoteSlot(this, result));
  }

  /**
   * Renews the slots of one request, so that they expire a full lease from now.
   *
   * @return false if one of the slots has expired or was released
   * @throws HeadgateException if the service is unavailable or rejects the request, in every
   *     failure mode
   */
  public boolean renew(String slotId) {
    return await(() -> changeSlot("PUT", path(slotId)));
  }

  /** Releases the slots of one request. Returns and fails as {@link #renew} does. */
  public boolean release(String slotId) {
    return await(() -> changeSlot("DELETE", path(slotId)));
  }

  /** Releases the slots of one request after a call, from which adaptive limits learn. */
  public boolean release(String slotId, CompletedCall call) {
    return await(() -> changeSlot("DELETE", path(slotId, call)));
  }

  /** Releases as {@link #release(String)} does, without blocking the calling thread. */
  public CompletionStage<Boolean> releaseAsync(String slotId) {
    return handedOver(changeSlot("DELETE", path(slotId)));
  }

  /** Releases as {@link #release(String, CompletedCall)} does, without blocking. */
  public CompletionStage<Boolean> releaseAsync(String slotId, CompletedCall call) {
    return handedOver(changeSlot("DELETE", path(slotId, call)));
  }

  private CompletableFuture<RemoteResult> decide(String path, Request request) {
    if (!shared.connection.isWorthAsking()) return skipped();
    return settled(
        shared
            .connection
            .send("POST", path, CheckJson.of(request), deadline.toNanos())
            .thenApply(response -> shared.replies.decision(response, request)));
  }

  private CompletableFuture<Boolean> changeSlot(String method, String path) {
    return shared
        .connection
        .send(method, path, NO_BODY, deadline.toNanos())
        .handle((response, failure) -> {
          if (failure != null) throw shared.replies.failure(failure);
          if (response.status() / 100 == 2) return true;
          var problem = shared.replies.problem(response);
          if (problem instanceof RequestRejectedException no && no.status() == 404) return false;
          throw problem;
        });
  }

  /** Applies the failure mode to a failed call. */
  private CompletableFuture<RemoteResult> settled(CompletableFuture<RemoteResult> call) {
    return call.handle((result, failure) -> {
      if (failure == null) return result;
      var problem = shared.replies.failure(failure);
      if (problem instanceof RequestRejectedException) throw problem;
      return decidedBy(failureMode, problem);
    });
  }

  private CompletableFuture<RemoteResult> skipped() {
    return settled(
        CompletableFuture.failedFuture(
            new HeadgateException(
                "the service was not asked, since the last %d calls failed; one call every %d ms tests it"
                    .formatted(ServiceHealth.FAILURES, ServiceHealth.PAUSE.toMillis()),
                null)));
  }

  private static RemoteResult decidedBy(FailureMode mode, HeadgateException problem) {
    String reason = String.valueOf(problem.getMessage());
    return switch (mode) {
      case ALLOW ->
          RemoteResult.ofFailure(
              new Decision.Allowed(Decision.Allowed.UNKNOWN, Duration.ZERO), reason);
      case DENY -> RemoteResult.ofFailure(new Decision.Denied(FAILURE_RETRY), reason);
      case THROW -> throw problem;
    };
  }

  private static String path(String slotId) {
    return "/v1/slots/" + URLEncoder.encode(slotId, StandardCharsets.UTF_8).replace("+", "%20");
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

  /** Continues elsewhere, so that the application can't block the thread that receives replies. */
  private static <T> CompletableFuture<T> handedOver(CompletableFuture<T> stage) {
    return stage.isDone() ? stage : stage.whenCompleteAsync((value, failure) -> {});
  }

  /** Starts a call on this thread, and waits for its result. */
  private <T> T await(Supplier<CompletableFuture<T>> call) {
    return await(shared.connection.blocking(call));
  }

  private static <T> T await(CompletableFuture<T> stage) {
    try {
      return stage.join(); // ends by the deadline
    } catch (CompletionException e) {
      if (e.getCause() instanceof HeadgateException problem) throw problem;
      throw e;
    }
  }

  /**
   * Closes the connections of this client and all its views. Checks that wait fail. Returns the
   * unused permits of local leases first, which takes a second at most.
   */
  @Override
  public void close() {
    if (shared.leases != null) shared.leases.close();
    shared.batcher.close();
    shared.connection.close();
  }
}
