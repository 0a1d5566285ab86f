package io.headgate.internal.region;

import io.headgate.internal.consistency.HoldingStore;
import io.headgate.internal.region.RegionShare.Request;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import io.headgate.store.StoreException;
import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The shares of this instance, and their requests to home. At most {@link #MAX_SHARES} counters
 * have a share; further ones are decided at home. Thread-safe.
 */
public final class RegionShares implements AutoCloseable {
  /** The highest number of counters of which an instance holds permits. */
  public static final int MAX_SHARES = 100_000;

  private static final long CLOSE_MILLIS = 2_000;

  private record Key(Counter counter, String key) {
    /** Uses a keyed hash, since callers choose keys. */
    @Override
    public int hashCode() {
      return Charge.hashOf(counter, key);
    }
  }

  /** A share and the request in flight, which callers may wait for. */
  static final class Entry {
    final RegionShare share;
    @Nullable CompletableFuture<@Nullable Void> inFlight; // guarded by this entry

    Entry(RegionShare share) {
      this.share = share;
    }
  }

  /**
   * The state of home as this instance sees it.
   *
   * @param reachable whether the last request was answered
   * @param since when that began, in nanoseconds of the clock of these shares
   * @param problem the message of the last failure; empty if home is reachable
   * @param roundTripMicros the time of the last answered request; 0 if there was none
   */
  public record HomeState(boolean reachable, long since, String problem, long roundTripMicros) {}

  /**
   * The shares of one rule.
   *
   * @param counters the number of counters with a share
   * @param held the permits that can be spent
   * @param demandPerSecond the permits requested per second
   */
  public record RuleShares(long counters, long held, double demandPerSecond) {
    RuleShares plus(long moreHeld, double moreDemand) {
      return new RuleShares(counters + 1, held + moreHeld, demandPerSecond + moreDemand);
    }
  }

  private final ConcurrentHashMap<Key, Entry> entries = new ConcurrentHashMap<>();
  private final HoldingStore home;
  private final ShareTiming timing;
  private final LongSupplier nanos;
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private volatile HomeState state;
  private volatile boolean closed;

  /**
   * Creates the shares of an instance. The caller runs {@link #sync} several times in a sync
   * interval.
   *
   * @param home where the counters are
   * @param nanos the monotonic clock of this instance
   */
  public RegionShares(HoldingStore home, ShareTiming timing, LongSupplier nanos) {
    this.home = home;
    this.timing = timing;
    this.nanos = nanos;
    this.state = new HomeState(true, nanos.getAsLong(), "", 0);
  }

  long now() {
    return nanos.getAsLong();
  }

  /** Returns the share of a counter, creating it if necessary; null if there are too many. */
  @Nullable Entry obtain(Charge charge) {
    var key = new Key(charge.counter(), charge.key());
    var existing = entries.get(key);
    if (existing != null) return existing;
    if (closed || entries.size() >= MAX_SHARES) return null;
    return entries.computeIfAbsent(key, k -> new Entry(new RegionShare(charge, timing, now())));
  }

  /** Returns the longest lease of a hold at home, in microseconds. */
  long maxLeaseMicros() {
    return timing.maxLease().toNanos() / 1_000;
  }

  /** Sends the next request of a share if one is due. */
  void sendIfDue(Entry entry) {
    if (closed) return;
    Request request;
    var done = new CompletableFuture<@Nullable Void>();
    synchronized (entry) {
      request = entry.share.prepare(now());
      if (request == null) return;
      entry.inFlight = done;
    }
    send(entry, request, done);
  }

  /**
   * Requests permits for a charge that waits for them.
   *
   * @return completes with the reply to the request in flight, and never fails
   */
  CompletionStage<?> await(Entry entry, long cost) {
    entry.share.await(cost);
    sendIfDue(entry);
    synchronized (entry) {
      var inFlight = entry.inFlight;
      return inFlight == null ? CompletableFuture.completedStage(null) : inFlight;
    }
  }

  /** Has a charge decided at home, without a share. */
  CompletionStage<HoldingStore.HoldResult> decideAtHome(Charge charge) {
    requests.incrementAndGet();
    return home.hold(charge, Usage.NONE, 0, maxLeaseMicros());
  }

  @SuppressWarnings("ReferenceEquality")
  private void send(Entry entry, Request request, CompletableFuture<@Nullable Void> done) {
    requests.incrementAndGet();
    CompletionStage<HoldingStore.HoldResult> reply;
    try {
      reply = home.hold(request.charge(), request.usage(), request.want(), request.lease());
    } catch (RuntimeException e) {
      reply = CompletableFuture.failedStage(e);
    }
    var unused =
        reply.handle((result, problem) -> {
          long now = now();
          if (problem == null) {
            entry.share.granted(request, result, now);
            reachable(now, now - request.sentAt());
          } else {
            entry.share.requestFailed(request, isUnexecuted(problem), now);
            unreachable(now, problem);
          }
          synchronized (entry) {
            if (entry.inFlight == done) entry.inFlight = null;
          }
          done.complete(null);
          return null;
        });
  }

  private void reachable(long now, long roundTrip) {
    var before = state;
    long since = before.reachable ? before.since : now;
    state = new HomeState(true, since, "", roundTrip / 1_000);
  }

  private void unreachable(long now, Throwable problem) {
    failures.incrementAndGet();
    var cause = causeOf(problem);
    var before = state;
    long since = before.reachable ? now : before.since;
    var message = cause.getMessage();
    state =
        new HomeState(
            false, since, message == null ? cause.toString() : message, before.roundTripMicros);
  }

  private static Throwable causeOf(Throwable problem) {
    var cause = problem instanceof CompletionException ? problem.getCause() : null;
    return cause == null ? problem : cause;
  }

  private static boolean isUnexecuted(Throwable problem) {
    return causeOf(problem) instanceof StoreException known && known.isUncharged();
  }

  /** Sends the requests that are due, and drops shares that are no longer used. */
  public void sync() {
    long now = now();
    for (var entry : entries.entrySet()) {
      if (entry.getValue().share.isExpired(now)) entries.remove(entry.getKey(), entry.getValue());
      else sendIfDue(entry.getValue());
    }
  }

  /** Returns the permits that can be spent of a counter. */
  long availableOf(Charge charge) {
    var entry = entries.get(new Key(charge.counter(), charge.key()));
    return entry == null ? 0 : entry.share.available(now());
  }

  /** Drops the share of a counter that was reset. */
  void drop(Counter counter, String key) {
    entries.remove(new Key(counter, key));
  }

  /** Returns the state of home. */
  public HomeState home() {
    return state;
  }

  /** Returns the nanoseconds for which home has been unreachable; 0 if it is reachable. */
  long unreachableFor() {
    var current = state;
    return current.reachable ? 0 : Math.max(1, now() - current.since);
  }

  /** Returns the number of requests sent to home. */
  public long requests() {
    return requests.get();
  }

  /** Returns the number of requests that failed. */
  public long failures() {
    return failures.get();
  }

  /** Returns the number of counters with a share. */
  public int size() {
    return entries.size();
  }

  /** Returns the shares by rule. */
  public Map<String, RuleShares> byRule() {
    long now = now();
    var all = new TreeMap<String, RuleShares>();
    for (var entry : entries.values()) {
      var share = entry.share;
      all.merge(
          share.rule(),
          new RuleShares(1, share.available(now), share.demandPerSecond(now)),
          (sum, one) -> sum.plus(one.held, one.demandPerSecond));
    }
    return all;
  }

  /** Returns all shares to home, within two seconds. Shares that remain end with their leases. */
  @Override
  public void close() {
    closed = true;
    var pending = new ArrayList<CompletableFuture<?>>();
    for (var entry : entries.values()) {
      var request = entry.share.prepareReturn(now());
      if (request == null) continue;
      var done = new CompletableFuture<@Nullable Void>();
      pending.add(done);
      send(entry, request, done);
    }
    try {
      CompletableFuture.allOf(pending.toArray(CompletableFuture[]::new))
          .get(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException e) {
      // The remaining shares end with their leases.
    }
  }
}
