package io.headgate.server.quota;

import io.headgate.rule.Subject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One bucket of one proxy. Not thread-safe: guarded by {@link QuotaBook}. Statistics read its rules
 * and its assignment without a lock.
 *
 * @param <B> the identity of a bucket in the protocol
 */
final class QuotaBucket<B> {
  private static final int BYTES = 1_000;
  private static final int ATTRIBUTE_BYTES = 250;

  final B id;
  final Subject subject;
  final QuotaStream<B> stream;
  List<CounterHold> holds = List.of();

  /** The ids of the rules that apply to its requests, shadow rules included. */
  volatile List<String> rules = List.of();

  volatile Assignment assignment;
  Demand demand;

  /** The strategy that was sent last; null if the proxy has none. */
  @Nullable QuotaStrategy sent;

  /** The permits that its next assignment should have. */
  private long wanted;

  /** How many counters have not replied since it began to wait. */
  int pending;

  private long presumed; // charged as spent before a report, to be deducted from the next one
  private long presumedAt;
  boolean pushed; // waits for an assignment without having reported
  boolean exhausted; // when the last assignment was sent, the one before was presumably spent
  long pushedAt; // when it last began to wait so
  boolean quiet; // the last report had no requests
  boolean failed; // one of the replies was a failure
  boolean abandoned;

  /** Returns the estimated memory of a bucket: its subject, and its id with the same text. */
  static long bytesOf(Subject subject) {
    long bytes = BYTES;
    for (var attribute : subject.attributes().entrySet()) {
      bytes += ATTRIBUTE_BYTES;
      bytes += 4L * (attribute.getKey().length() + attribute.getValue().length());
    }
    return bytes;
  }

  QuotaBucket(B id, Subject subject, QuotaStream<B> stream, long now) {
    this.id = id;
    this.subject = subject;
    this.stream = stream;
    this.assignment = Assignment.none(now);
    this.demand = Demand.first(now);
    this.pushedAt = now;
  }

  long wanted() {
    return wanted;
  }

  void want(long permits) {
    for (var hold : holds) hold.addWanted(permits - wanted);
    wanted = permits;
  }

  /** Makes it use these counters and no others. */
  void use(List<CounterHold> others) {
    want(0);
    for (var hold : holds) hold.leave();
    holds = List.copyOf(others);
    for (var hold : holds) hold.join();
  }

  /**
   * Returns whether the proxy has presumably spent its assignment, at its last known request rate.
   */
  boolean isExhausted(long now) {
    if (!(sent instanceof QuotaStrategy.Tokens(long permits))) return sent != null;
    return demand.expected(now - assignment.changedAt()) >= permits;
  }

  /** Returns the permits to request beyond the outstanding ones. */
  long missing() {
    return isDue() ? wanted : 0;
  }

  /** Returns whether it needs another assignment rather than an extension. */
  boolean isDue() {
    if (pushed || !(sent instanceof QuotaStrategy.Tokens)) return true;
    return !assignment.changing() && QuotaSizing.isDue(assignment.outstanding(), wanted);
  }

  long capacity() {
    long least = Long.MAX_VALUE;
    for (var hold : holds) least = Math.min(least, hold.capacity());
    return least;
  }

  /** Returns the largest number of proxies that share one of its counters. */
  int proxies() {
    int most = 1;
    for (var hold : holds) most = Math.max(most, hold.members());
    return most;
  }

  /** Returns the permits that all of its counters have for it. */
  long share() {
    long least = wanted;
    for (var hold : holds) least = Math.min(least, hold.share(wanted));
    return least;
  }

  /** Returns whether one of its counters holds fewer permits than are outstanding. */
  boolean isShort() {
    return holds.stream().anyMatch(CounterHold::isShort);
  }

  /** Moves the permits of a settled report in all counters. */
  void settle(long spent, long unassigned, long returned) {
    for (var hold : holds) {
      hold.settle(spent, returned);
      if (unassigned > 0) hold.addUnassigned(unassigned);
    }
  }

  /** Counts all outstanding permits as spent: their use is unknown, and they can't be used now. */
  void expire(long now) {
    presume(assignment.outstanding(), now);
    assignment = Assignment.none(now);
    sent = null;
  }

  /**
   * Counts the permits of earlier assignments as spent once the proxy can't spend them any more, so
   * that the limit refills them. Otherwise they would be held until the proxy reports, which Envoy
   * does every 5 seconds, and many proxies would share a small part of the limit.
   */
  void presumeEnded(long now, long roundTrip) {
    long ended = exhausted ? assignment.ended(now, roundTrip) : 0;
    if (ended == 0) return;
    assignment = assignment.withoutEnded(ended);
    presume(ended, now);
  }

  private void presume(long permits, long now) {
    if (permits == 0) return;
    settle(permits, 0, 0);
    presumed += permits;
    presumedAt = now;
  }

  /** Returns how many requests of the next report are charged already, or have permits held. */
  long charged() {
    return assignment.outstanding() + presumed;
  }

  /**
   * Returns how many requests of a report have been charged before it. The next report has no
   * others of that time, unless this one was sent before the permits were charged.
   */
  long deduct(long admitted, long now, long roundTrip) {
    long deducted = Math.min(admitted, presumed);
    presumed = now - presumedAt >= roundTrip ? 0 : presumed - deducted;
    return deducted;
  }

  /** Returns the outstanding permits, which the proxy has dropped, to the counters. */
  void release(long now) {
    settle(0, 0, assignment.outstanding());
    assignment = Assignment.none(now);
    sent = null;
  }
}
