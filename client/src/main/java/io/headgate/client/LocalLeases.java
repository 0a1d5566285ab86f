package io.headgate.client;

import io.headgate.rule.Request;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The permit leases of a client. A request that is checked several times within seconds gets one,
 * if the service grants it. A background thread renews leases before they end, and returns the
 * permits of those that are no longer used.
 *
 * <p>Thread-safe. Has a bounded number of entries, and a bounded number of calls in flight.
 */
final class LocalLeases implements AutoCloseable {
  /** The service's highest number of checks in one lease. */
  static final long MAX_CHECKS = 1_000_000;

  private static final Duration SWEEP_INTERVAL = Duration.ofMillis(50);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

  /** For how long an entry without a lease is kept, and if many entries are. */
  private static final long KEPT = Duration.ofSeconds(10).toNanos();

  private static final long KEPT_IF_MANY = Duration.ofMillis(500).toNanos();

  /** A lease of which fewer checks were used has not saved a request. */
  private static final long FEW_CHECKS = 3;

  private static final Duration PAUSE_IF_SHORT = Duration.ofMillis(250);
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);
  private static final Duration PAUSE_IF_NOT_LEASED = Duration.ofSeconds(10);
  private static final Duration PAUSE_IF_REJECTED = Duration.ofSeconds(60);

  private final ServiceConnection connection;
  private final int maxEntries;
  private final long timeout;
  private final int maxInFlight;
  private final Semaphore inFlight;
  private final ConcurrentHashMap<Request, LocalLease> entries = new ConcurrentHashMap<>();
  private final ScheduledExecutorService sweeper;

  private LocalLeases(
      ServiceConnection connection, ClientOptions options, ScheduledExecutorService sweeper) {
    this.connection = connection;
    this.maxEntries = options.localLeases();
    this.timeout = Math.max(1_000_000, options.deadline().toNanos() / 2);
    this.maxInFlight = options.maxInFlight();
    this.inFlight = new Semaphore(maxInFlight);
    this.sweeper = sweeper;
  }

  /** Creates the leases of a client, and starts the background thread. */
  static LocalLeases start(ServiceConnection connection, ClientOptions options) {
    var sweeper =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("headgate-leases").factory());
    var leases = new LocalLeases(connection, options, sweeper);
    var unused =
        sweeper.scheduleWithFixedDelay(
            leases::sweep,
            SWEEP_INTERVAL.toMillis(),
            SWEEP_INTERVAL.toMillis(),
            TimeUnit.MILLISECONDS);
    return leases;
  }

  /** Decides a check by the lease of its request; null if there is none, or it is spent. */
  @Nullable RemoteResult spend(Request request, long now) {
    var lease = entry(request, now);
    if (lease == null) return null;
    var result = lease.spend(now);
    if (result != null && lease.isDueForRenewal(now)) call(lease, () -> lease.renew(now));
    return result;
  }

  /** Returns the entry of a request; null if it has none and there is no room for another. */
  private @Nullable LocalLease entry(Request request, long now) {
    var found = entries.get(request);
    if (found != null || entries.size() >= maxEntries) return found;
    return entries.computeIfAbsent(request, key -> new LocalLease(key, now));
  }

  /** As {@link #spend} for a check that has been counted. */
  @Nullable RemoteResult spendAgain(Request request, long now) {
    var lease = entries.get(request);
    return lease == null ? null : lease.spendAgain(now);
  }

  /**
   * Returns the request for a lease that a check should wait for, which this method may send; null
   * if there is none. The stage never fails.
   */
  @Nullable CompletableFuture<Void> requested(Request request, long now) {
    var lease = entries.get(request);
    if (lease == null) return null;
    if (lease.inFlight() == null) call(lease, () -> lease.acquire(now));
    var call = lease.inFlight();
    return call == null ? null : call.reply();
  }

  /** Sends a call if one is due and not too many are in flight. */
  private void call(LocalLease lease, Supplier<LocalLease.@Nullable Call> due) {
    if (!inFlight.tryAcquire()) return;
    var call = due.get();
    if (call == null) inFlight.release();
    else send(lease, call);
  }

  private void send(LocalLease lease, LocalLease.Call call) {
    var id = call.id();
    boolean release = call.wish() < 0;
    String path = "/v1/leases" + (id == null ? "" : "/" + id) + (release ? "/release" : "");
    String method = id == null || release ? "POST" : "PUT";
    var body = CheckJson.lease(lease.request(), id == null ? -1 : call.used(), call.wish());
    var unused =
        connection
            .send(method, path, body, timeout)
            .handle((response, failure) -> {
              inFlight.release();
              apply(lease, call, failure == null ? response : null);
              call.reply().complete(null);
              return null;
            });
  }

  private static void apply(
      LocalLease lease, LocalLease.Call call, @Nullable ServiceReply response) {
    long now = System.nanoTime();
    if (response == null || response.status() >= 500) {
      lease.ended(now, PAUSE_AFTER_FAILURE);
    } else if (response.status() >= 400) {
      lease.ended(now, PAUSE_IF_REJECTED);
    } else if (call.wish() < 0) {
      lease.ended(now, call.used() < FEW_CHECKS ? PAUSE_IF_NOT_LEASED : Duration.ZERO);
    } else {
      try {
        var reply = ReplyJson.lease(response.body());
        if (reply.checks.orElse(0L) == 0) {
          lease.ended(now, reply.lasting ? PAUSE_IF_NOT_LEASED : PAUSE_IF_SHORT);
        } else {
          lease.granted(call, reply, reply.result(lease.request()));
        }
      } catch (IOException e) {
        lease.ended(now, PAUSE_AFTER_FAILURE);
      }
    }
  }

  private void sweep() {
    long now = System.nanoTime();
    long kept = entries.size() > maxEntries / 2 ? KEPT_IF_MANY : KEPT;
    for (var lease : entries.values()) {
      if (lease.isUnused(now, kept)) {
        entries.remove(lease.request(), lease);
        continue;
      }
      if (lease.isDueForRelease(now)) call(lease, () -> lease.release(now));
      else if (lease.isDueForRenewal(now)) call(lease, () -> lease.renew(now));
    }
  }

  /** Returns the number of entries. */
  int size() {
    return entries.size();
  }

  /** Returns the unused permits of all leases, as many as can be returned within a second. */
  @Override
  public void close() {
    sweeper.shutdownNow();
    long end = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
    try {
      for (var lease : entries.values()) {
        if (!inFlight.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS)) return;
        var call = lease.release(System.nanoTime());
        if (call == null) inFlight.release();
        else send(lease, call);
      }
      if (inFlight.tryAcquire(maxInFlight, end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        inFlight.release(maxInFlight);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the leases expire
    }
  }
}
