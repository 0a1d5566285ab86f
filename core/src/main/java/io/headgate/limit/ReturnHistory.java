package io.headgate.limit;

import java.util.ArrayList;
import java.util.List;

/**
 * The permits that were returned to a token bucket, by the time of their charges, and the last
 * reset of a counter. It bounds what a later return may take back. Stored beside the counter, and
 * only while a return may still matter. The twin of {@code returns.lua}. Immutable.
 *
 * <p>All amounts are times, in microseconds: those in which the bucket refills the permits, rounded
 * so that less is returned rather than more.
 *
 * @param expiresAt the time from which on no charge before the last return has permits left to
 *     return, so that the history may be dropped
 * @param emptyAt the {@link BucketState#emptyAt} after the last return
 * @param spans consecutive spans of time, of which the first begins at 0 and the last has no end;
 *     empty if nothing was returned
 */
public record ReturnHistory(long expiresAt, long emptyAt, List<Span> spans) {
  /*
   * How much a bucket can take back of a charge
   *
   * Take the bucket as a queue of work, served at its rate, the newest charge first. Removing a
   * part of a charge from the past, at the present time, lowers the debt by that part, but at most
   * by the work that is left of this charge and of all before it: the newer charges alone would
   * have kept the bucket in debt for the rest. The work of the charge and all before it decreases
   * only while there is no newer work, which is while the debt consists of nothing else. So the
   * work that is left is at least the lowest debt since the charge.
   *
   * That is the lowest debt of a bucket that was charged the present amounts from the beginning.
   * If the bucket had a debt of D at a time, and permits that were charged before that time were
   * returned after it, then this debt is D less these permits: `returned` of the span. `lowest` is
   * a lower bound of the difference. Between two returns the debt of a bucket is at least what time
   * leaves of the debt after the first, so the returns alone show it, and charges need not be
   * recorded.
   *
   * Directly after the charge the debt is known from its receipt: it is repaid at `freshAt`.
   *
   * Two spans are merged by keeping the higher `returned` and the lower `lowest`, which can only
   * lower the bound.
   */

  /** The history of a bucket to which nothing was returned. */
  public static final ReturnHistory NONE = new ReturnHistory(0, 0, List.of());

  /** The history of a bucket whose returns can't be stored. */
  public static final ReturnHistory FULL = new ReturnHistory(Long.MAX_VALUE, 0, List.of());

  /** The highest number of spans between two operations. */
  static final int MAX_SPANS = 40;

  /** The number of parts of the refill time to which spans are reduced if there are too many. */
  static final int CELLS = 36;

  /**
   * The time after a reset for which charges count as made before it, in microseconds. A remote
   * store records the reset first, and deletes the counter in another call.
   */
  static final long RESET_MARGIN = 1_000_000;

  /** The value of {@code returned} for charges that a reset has removed. */
  private static final long RESET = Bounds.MAX;

  /**
   * One span of time.
   *
   * @param from its beginning; it ends where the next begins
   * @param returned the permits that were charged before some time of the span and returned after
   *     it, at most
   * @param lowest the debt at any time of the span less the permits that were returned since, at
   *     least
   */
  public record Span(long from, long returned, long lowest) {
    Span plus(long micros) {
      return new Span(from, Math.min(Bounds.MAX, returned + micros), Math.max(0, lowest - micros));
    }

    Span from(long other) {
      return new Span(other, returned, lowest);
    }

    Span and(Span later) {
      return new Span(from, Math.max(returned, later.returned), Math.min(lowest, later.lowest));
    }
  }

  /** Copies the list. */
  public ReturnHistory {
    spans = List.copyOf(spans);
  }

  /**
   * Returns the history of a counter that is about to be reset. Its charges return nothing later,
   * since the permits of a counter without them were available to others.
   *
   * @param state the state before the reset
   */
  public static ReturnHistory ofReset(Limit limit, State state, long now) {
    var charged = HeldState.withoutHolds(GiveBack.adopted(limit, state, now));
    long freshAt = Math.max(now, charged.freshAt());
    long later = limit instanceof TokenBucket ? limit.window() : 0;
    return new ReturnHistory(
        freshAt + later + RESET_MARGIN,
        0,
        List.of(new Span(0, RESET, 0), new Span(now + RESET_MARGIN + 1, 0, 0)));
  }

  /** Returns whether a reset has removed the charges of a time. */
  boolean isReset(long at) {
    return !isEmpty() && spans.get(indexOf(spans, at)).returned >= RESET;
  }

  /** Returns whether nothing was returned. */
  public boolean isEmpty() {
    return spans.isEmpty();
  }

  /**
   * Returns the work that is left of a charge and of all before it, in microseconds; 0 or less for
   * none.
   *
   * @param at the time of the charge
   * @param freshAt the time at which the bucket would be empty of debt without later charges,
   *     rounded up
   */
  long left(long at, long freshAt, long now) {
    int last = spans.size() - 1;
    if (last < 0) return freshAt - 1 - now;
    int own = indexOf(spans, at);
    long returned = spans.get(own).returned;
    long sinceThen = freshAt - 1 - now - returned;
    if (own == last) return sinceThen;
    long lowest = freshAt - 1 - Math.min(now, spans.get(own + 1).from) - returned;
    for (int i = own + 1; i < last; i++) lowest = Math.min(lowest, spans.get(i).lowest);
    if (spans.get(last).from <= now) lowest = Math.min(lowest, emptyAt - 1 - now);
    return Math.max(sinceThen, lowest);
  }

  /**
   * Returns the history after a return.
   *
   * @param at the time of the charge
   * @param micros the returned permits
   * @param before the {@link BucketState#emptyAt} before the return, and {@code after} it
   */
  ReturnHistory plus(long at, long now, long micros, long before, long after) {
    var next = new ArrayList<>(spans);
    if (next.isEmpty()) {
      next.add(new Span(0, 0, 0));
    } else if (next.getLast().from <= now) {
      next.add(new Span(next.removeLast().from, 0, Math.max(0, emptyAt - 1 - now)));
    }
    long until = Math.max(Math.max(now, at), next.getLast().from - 1);
    if (next.getLast().from <= until) next.add(new Span(until + 1, 0, 0));
    int first = split(next, at);
    for (int i = first; i < next.size() - 1; i++) next.set(i, next.get(i).plus(micros));
    return new ReturnHistory(Math.max(expiresAt, before), after, next);
  }

  /** Returns the index of the span that includes a time. */
  private static int indexOf(List<Span> spans, long at) {
    int index = spans.size() - 1;
    while (index > 0 && spans.get(index).from > at) index--;
    return index;
  }

  /** Lets a span begin at a time; returns its index. */
  private static int split(List<Span> spans, long at) {
    int index = indexOf(spans, at);
    if (spans.get(index).from == at) return index;
    spans.add(index + 1, spans.get(index).from(at));
    return index + 1;
  }

  /** Returns the history with fewer spans if it has too many. */
  ReturnHistory compacted(long now, long refillTime) {
    if (spans.size() <= MAX_SPANS) return this;
    long width = Math.ceilDiv(refillTime, CELLS);
    var kept = merged(now - refillTime, width);
    if (kept.size() > MAX_SPANS) kept = merged(Long.MAX_VALUE, width); // the clock stepped back
    return new ReturnHistory(expiresAt, emptyAt, kept);
  }

  /** Merges the spans of one cell, and all that begin before a time; the last one stays. */
  private List<Span> merged(long before, long width) {
    var kept = new ArrayList<Span>();
    for (var span : spans.subList(0, spans.size() - 1)) {
      boolean merges =
          !kept.isEmpty()
              && (span.from < before || span.from / width == kept.getLast().from / width);
      kept.add(merges ? kept.removeLast().and(span) : span);
    }
    kept.add(spans.getLast());
    return kept;
  }
}
