package io.headgate.server.quota;

import io.headgate.server.quota.QuotaStrategy.DenyAll;
import io.headgate.server.quota.QuotaStrategy.Tokens;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Decides the strategy of a bucket, and sends it to the proxy: permits out of the holds of its
 * counters, an extension of the last strategy, or one that needs no permits. Not thread-safe:
 * guarded by the lock of its {@link QuotaBook}.
 *
 * @param <B> the identity of a bucket in the protocol
 */
final class QuotaAssigner<B> {
  private final long ttl;
  private final long roundTrip;
  private final Set<QuotaStream<B>> dirty = new LinkedHashSet<>();

  QuotaAssigner(QuotaSettings settings) {
    this.ttl = settings.ttl().toNanos();
    this.roundTrip = settings.roundTrip().toNanos();
  }

  /** Assigns permits to a bucket whose counters have all replied. */
  void assign(QuotaBucket<B> bucket, long now) {
    var current = bucket.assignment;
    boolean extendable = bucket.sent instanceof Tokens && current.isExtendable(now, ttl, roundTrip);
    long permits = bucket.share();
    if (permits == 0 && bucket.sent instanceof DenyAll) {
      extend(bucket, now);
    } else if (extendable && !isReplaced(bucket, permits)) {
      extend(bucket, now);
    } else {
      bucket.exhausted = bucket.isExhausted(now);
      bucket.assignment = current.replaced(permits, now);
      for (var hold : bucket.holds) hold.assign(permits);
      bucket.sent = permits == 0 ? new DenyAll() : new Tokens(permits);
      send(bucket.stream, new QuotaAction.Assign<>(bucket.id, bucket.sent, true));
    }
    bucket.pushed = false;
  }

  /** Returns whether an assignment is replaced by one of {@code permits}, or else extended. */
  private static boolean isReplaced(QuotaBucket<?> bucket, long permits) {
    if (bucket.isShort()) return true;
    if (!bucket.isDue()) return false;
    if (bucket.pushed) return permits > 0;
    // Too many permits are returned; all of them if a new assignment would need permits as well.
    if (bucket.assignment.outstanding() > bucket.wanted()) return permits > 0 || bucket.quiet;
    return permits > bucket.assignment.outstanding();
  }

  private void extend(QuotaBucket<B> bucket, long now) {
    if (bucket.sent == null || !isExtensionDue(bucket, now)) return;
    bucket.assignment = bucket.assignment.extended(now);
    send(bucket.stream, new QuotaAction.Assign<>(bucket.id, bucket.sent, false));
  }

  boolean isExtensionDue(QuotaBucket<B> bucket, long now) {
    return now - bucket.assignment.sentAt() >= ttl / 4;
  }

  /** Sends a strategy that needs no permits. */
  void blanket(QuotaBucket<B> bucket, QuotaStrategy strategy, long now) {
    if (!bucket.holds.isEmpty()) replaceHolds(bucket, List.of(), now);
    if (strategy.equals(bucket.sent) && !isExtensionDue(bucket, now)) return;
    boolean replaces = !strategy.equals(bucket.sent);
    bucket.assignment = bucket.assignment.extended(now);
    bucket.sent = strategy;
    send(bucket.stream, new QuotaAction.Assign<>(bucket.id, strategy, replaces));
  }

  /**
   * Replaces the counters of a bucket. What it has outstanding of the old ones counts as spent
   * there, since a proxy can't report it separately.
   */
  void replaceHolds(QuotaBucket<B> bucket, List<CounterHold> next, long now) {
    bucket.expire(now);
    bucket.use(next);
  }

  /** Denies the requests of a bucket that is not kept, because there are too many. */
  void refuse(QuotaStream<B> stream, B id) {
    send(stream, new QuotaAction.Assign<>(id, new DenyAll(), true));
  }

  /** Makes the proxy forget a bucket without requests. */
  void abandon(QuotaBucket<B> bucket, long now) {
    bucket.abandoned = true;
    bucket.assignment = bucket.assignment.replaced(0, now);
    send(bucket.stream, new QuotaAction.Abandon<>(bucket.id));
  }

  private void send(QuotaStream<B> stream, QuotaAction<B> action) {
    stream.outbox.add(action);
    dirty.add(stream);
  }

  /** Passes all actions to the sinks of their streams. */
  void flush() {
    if (dirty.isEmpty()) return;
    var streams = List.copyOf(dirty);
    dirty.clear();
    for (var stream : streams) stream.flush();
  }

  /** Drops the actions of a stream that was closed. */
  void drop(QuotaStream<B> stream) {
    stream.outbox.clear();
    dirty.remove(stream);
  }
}
