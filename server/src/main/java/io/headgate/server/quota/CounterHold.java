package io.headgate.server.quota;

import io.headgate.limit.HoldRequest;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Holdable;
import io.headgate.limit.Outcome;
import io.headgate.rule.Charge;
import io.headgate.store.HoldStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The permits that the store holds for this instance at one counter, out of which all assignments
 * of the counter are made. One hold for all proxies of the instance keeps the number of holders of
 * a counter small.
 *
 * <p>The invariant is that {@code held - spent} is at least the outstanding permits of all
 * assignments. One request is in flight at a time. Not thread-safe: guarded by {@link QuotaBook}.
 */
final class CounterHold {
  /** The members that wait for the reply to a request. */
  private final List<QuotaBucket<?>> waiting = new ArrayList<>();

  private final HoldStore store;
  private Charge charge;
  private Holdable limit;
  private long held; // by the last reply
  private long spent; // of held, by reports that the store has not received
  private long until; // the end of the lease by the store's clock; 0 if the limit has changed
  private final AtomicLong outstanding = new AtomicLong(); // statistics read it without a lock
  private long unassigned; // admitted without an assignment, to be charged as far as possible
  private long remaining; // by the last reply
  private long requestedAt;
  private long grantedAt; // when the last request was sent that had a reply
  private boolean requesting;
  private boolean convert; // the state may be of another limit, which only a charge converts
  private int members;
  private long wanted; // by all members

  CounterHold(HoldStore store, Charge charge, long now) {
    this.store = store;
    this.charge = charge;
    this.limit = (Holdable) charge.limit();
    this.requestedAt = now;
    this.grantedAt = now;
  }

  HoldStore store() {
    return store;
  }

  Charge charge() {
    return charge;
  }

  long capacity() {
    return limit.capacity();
  }

  int members() {
    return members;
  }

  void join() {
    members++;
  }

  void leave() {
    members--;
  }

  /** Records that a member wants other permits than before. */
  void addWanted(long difference) {
    wanted += difference;
  }

  /**
   * Returns how many permits a member gets that wants {@code permits}: all of them if there are
   * enough for all members, else its part of those that are left.
   */
  long share(long permits) {
    long left = Math.addExact(free(), remaining);
    if (left >= wanted) return Math.min(permits, free());
    double part = (double) left * permits / Math.max(1, wanted);
    return Math.min(free(), Math.max(1, (long) part));
  }

  long outstanding() {
    return outstanding.get();
  }

  /** Follows a changed limit. Permits of the old one stay held until their proxies report them. */
  void adopt(Charge newer) {
    charge = newer;
    var other = (Holdable) newer.limit();
    if (limit.equals(other)) return;
    limit = other;
    until = 0;
    convert = true;
  }

  /** Moves reported permits from outstanding to spent, and returns void ones. */
  void settle(long reported, long returned) {
    var unused = outstanding.addAndGet(-reported - returned);
    spent += reported;
  }

  /** Records permits that a proxy has spent without an assignment, at most one full limit. */
  void addUnassigned(long permits) {
    unassigned = Math.min(limit.capacity(), unassigned + Math.min(permits, limit.capacity()));
  }

  void assign(long permits) {
    var unused = outstanding.addAndGet(permits);
  }

  /** Returns the permits that are held and neither spent nor assigned. */
  long free() {
    return Math.max(0, held - spent - outstanding());
  }

  /**
   * Returns whether more permits are outstanding than held: the limit has become smaller, or the
   * store has lost the hold and others have the permits.
   */
  boolean isShort() {
    return held - spent < outstanding();
  }

  void await(QuotaBucket<?> bucket) {
    waiting.add(bucket);
  }

  boolean isRequesting() {
    return requesting;
  }

  boolean hasWaiting() {
    return !waiting.isEmpty();
  }

  /** Returns a time from which the lease of the hold lasts at least. */
  long grantedAt() {
    return grantedAt;
  }

  /** Returns whether a request without a waiting bucket is due: to charge or to release permits. */
  boolean needsSync(long now, long interval) {
    return !requesting
        && waiting.isEmpty()
        && (spent > 0 || held > outstanding())
        && now - requestedAt >= interval;
  }

  /** Returns whether nothing refers to the counter any more. */
  boolean isUnused() {
    return members == 0 && !requesting && held == 0 && spent == 0;
  }

  /** A request that has been prepared, with the buckets that its reply serves. */
  record Prepared(
      HoldRequest request, long spent, boolean converts, List<QuotaBucket<?>> buckets) {}

  /** Prepares the next request for the waiting buckets. */
  Prepared prepare(long holder, long order, long lease, long now) {
    long want = outstanding();
    for (var bucket : waiting) want += bucket.missing();
    long cost = convert ? Math.max(1, unassigned) : unassigned;
    long reported = Math.min(spent, held);
    var usage = held == 0 ? Usage.NONE : new Usage(reported, held, until);
    var buckets = List.copyOf(waiting);
    waiting.clear();
    requesting = true;
    requestedAt = now;
    boolean converts = convert;
    convert = false;
    return new Prepared(
        new HoldRequest(holder, order, usage, cost, want, lease), reported, converts, buckets);
  }

  /**
   * Applies the reply of the store.
   *
   * @return false if no permits were granted because those admitted without an assignment did not
   *     fit. The next request charges as many as do
   */
  boolean granted(Prepared prepared, HoldStore.Reply reply) {
    requesting = false;
    grantedAt = requestedAt;
    held = reply.held();
    // More than was held can't be reported as spent of the hold.
    addUnassigned(Math.max(0, spent - prepared.spent - Math.max(0, held)));
    spent = Math.clamp(spent - prepared.spent, 0, held);
    until = convert ? 0 : reply.until();
    remaining = reply.outcome().remaining();
    unassigned =
        reply.outcome() instanceof Outcome.Passed
            ? Math.max(0, unassigned - prepared.request.cost())
            : Math.min(unassigned, remaining);
    // Permits are left and were not granted: the state is of another limit, or has all its holders.
    if (held < prepared.request.want() && remaining > 0 && prepared.request.cost() == 0) {
      convert = true;
    }
    return reply.outcome() instanceof Outcome.Passed;
  }

  /**
   * Records that a request failed. It may have been executed; the next one reports all again.
   *
   * @return the buckets that wait for this request or the next one, which wait no longer
   */
  List<QuotaBucket<?>> failed(Prepared prepared) {
    requesting = false;
    convert |= prepared.converts;
    var ended = new ArrayList<>(prepared.buckets);
    ended.addAll(waiting);
    waiting.clear();
    return ended;
  }
}
