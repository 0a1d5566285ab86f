package io.headgate.client;

import io.headgate.Decision;
import io.headgate.rule.Request;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The permit lease of one request: its subject and its costs. Permits are spent until the lease
 * ends, which is measured from before the request for it was sent, so that it ends here no later
 * than at the service. Every spent permit is reported with the next request. While that request is
 * in flight, the rest of the lease may be spent, since the service keeps it held.
 *
 * <p>A lease whose renewal gets no reply is abandoned: the service may have replaced it. Its
 * permits count as spent when it ends. Thread-safe; times are of {@link System#nanoTime}.
 */
final class LocalLease {
  private static final long HOT_SPAN = Duration.ofSeconds(10).toNanos();
  private static final int HOT_CHECKS = 3;
  private static final double SMOOTHING = 0.5; // weight of the previous demand

  /**
   * A request to the service.
   *
   * @param id the id of the lease to renew or release; null to acquire one
   * @param used the checks that it reports
   * @param wish the checks to lease; 0 if the demand is unknown
   * @param sentAt the time before it is sent
   * @param reply completes, never exceptionally, when the reply has been applied
   */
  record Call(
      @Nullable String id, long used, long wish, long sentAt, CompletableFuture<Void> reply) {}

  private final Request request;
  private @Nullable String id;
  private @Nullable RemoteResult state; // of the limits, at the last grant
  private long granted;
  private long used;
  private long expiresAt;
  private long ttl;
  private @Nullable Call call; // in flight
  private long pausedUntil;

  private long checks; // since countedFrom
  private long countedFrom;
  private double perSecond = -1; // unknown
  private long lastUsed;

  LocalLease(Request request, long now) {
    this.request = request;
    this.pausedUntil = now;
    this.countedFrom = now;
    this.lastUsed = now;
  }

  Request request() {
    return request;
  }

  /** Counts a check, and decides it if a permit is left; otherwise returns null. */
  synchronized @Nullable RemoteResult spend(long now) {
    checks++;
    lastUsed = now;
    return spendAgain(now);
  }

  /** As {@link #spend} for a check that has been counted. */
  synchronized @Nullable RemoteResult spendAgain(long now) {
    if (state == null || used >= granted || now - expiresAt >= 0) return null;
    used++;
    return state.leased((granted - used) * request.cost());
  }

  /** Returns the call in flight, or null. */
  synchronized @Nullable Call inFlight() {
    return call;
  }

  /** Prepares a request for permits if the checks are frequent; null if none is due. */
  synchronized @Nullable Call acquire(long now) {
    if (call != null || now - pausedUntil < 0) return null;
    if (id == null && checks < HOT_CHECKS && perSecond < 0) {
      if (now - countedFrom > HOT_SPAN) restart(now);
      return null;
    }
    return call(now);
  }

  /** Prepares a renewal if the lease is used and nearly spent or nearly over; otherwise null. */
  synchronized @Nullable Call renew(long now) {
    return isDueForRenewal(now) ? call(now) : null;
  }

  synchronized boolean isDueForRenewal(long now) {
    if (call != null || id == null || isOver(now)) return false;
    boolean low = granted - used <= granted / 4;
    boolean late = expiresAt - now < ttl / 4;
    return low || (late && !isIdle(now));
  }

  /** Returns whether the lease is no longer used and has permits to return. */
  synchronized boolean isDueForRelease(long now) {
    return call == null && id != null && !isOver(now) && isIdle(now);
  }

  /** Prepares the return of all permits; null if there is no lease or a call is in flight. */
  synchronized @Nullable Call release(long now) {
    if (call != null || id == null || isOver(now)) return null;
    call = new Call(id, used, -1, now, new CompletableFuture<>());
    drop();
    return call;
  }

  /** Returns whether the entry has no lease and was not used for the given time. */
  synchronized boolean isUnused(long now, long span) {
    return call == null && (id == null || isOver(now)) && now - lastUsed > span;
  }

  private boolean isOver(long now) {
    return now - expiresAt >= 0;
  }

  private boolean isIdle(long now) {
    return now - lastUsed > ttl / 4;
  }

  private Call call(long now) {
    if (id != null && isOver(now)) drop(); // the service has charged all of it
    call = new Call(id, used, wish(now), now, new CompletableFuture<>());
    return call;
  }

  /** Returns the checks expected in half of a lease, at most a quarter of the permits left. */
  private long wish(long now) {
    double seconds = (now - countedFrom) / 1e9;
    if (seconds > 0.001) {
      double latest = checks / seconds;
      perSecond = perSecond < 0 ? latest : SMOOTHING * perSecond + (1 - SMOOTHING) * latest;
      restart(now);
    }
    if (ttl == 0 || perSecond < 0) return 0;
    long expected = (long) Math.ceil(perSecond * ttl / 2e9);
    return Math.clamp(expected, 2, Math.max(2, available() / 4));
  }

  /** Returns how many checks the service had permits for at its last reply. */
  private long available() {
    if (state == null || !(state.decision() instanceof Decision.Allowed allowed)) {
      return 0;
    }
    return Math.min(LocalLeases.MAX_CHECKS, allowed.remaining() / Math.max(1, request.cost()));
  }

  private void restart(long now) {
    checks = 0;
    countedFrom = now;
  }

  /** Applies a grant. Checks since the call was prepared are reported by the next one. */
  synchronized void granted(Call granted, DecisionFields reply, RemoteResult result) {
    call = null;
    id = reply.slotId.orElseThrow();
    this.granted = reply.checks.orElseThrow();
    used = Math.min(this.granted, Math.max(0, used - granted.used));
    ttl = reply.ttl.orElseThrow().toNanos();
    expiresAt = granted.sentAt + ttl / 1_000 * 999; // 0.1% less, for clock drift
    state = result;
  }

  /** Ends the lease, and requests none for the given time. */
  synchronized void ended(long now, Duration pause) {
    call = null;
    drop();
    pausedUntil = now + pause.toNanos();
  }

  private void drop() {
    id = null;
    state = null;
    granted = 0;
    used = 0;
  }
}
