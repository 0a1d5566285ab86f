package io.headgate.internal.outage;

import io.headgate.limit.FairShare;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome;
import io.headgate.limit.Outcome.ExceedsCapacity;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What the store last reported about each counter, to decide requests whose reply is late.
 *
 * <p>An answer has the permits that remained at its time. It is never made better by time: refilled
 * permits are not added, and after the time at which the counter would be unused, nothing is known.
 * Requests that are admitted by an answer are subtracted from it until their replies arrive, so
 * that late requests can't spend the same permits twice. An answer to an earlier request never
 * raises the permits of a later one.
 *
 * <p>All instances together admit by their answers at most the permits that remain, or one request
 * each: an instance admits a request that fits into the rest, and further ones as long as all of
 * them fit into its part of the rest. Of a counter without an answer it admits one request.
 *
 * <p>Bounded in bytes: two generations of answers, of which the older is dropped when the younger
 * is full. An answer that is used moves to the younger. Thread-safe. Times are microseconds.
 */
public final class LastAnswers {
  /** The size of a generation. An answer takes about {@link #BYTES} in addition to its key. */
  private static final long MAX_BYTES = 4 << 20;

  private static final int BYTES = 256;

  private volatile ConcurrentHashMap<CounterShare, Answer> young = new ConcurrentHashMap<>();
  private volatile ConcurrentHashMap<CounterShare, Answer> old = new ConcurrentHashMap<>();
  private final AtomicLong youngBytes = new AtomicLong();
  private final AtomicLong requests = new AtomicLong();
  private final long maxBytes;

  /** Creates an empty table. */
  public LastAnswers() {
    this(MAX_BYTES);
  }

  /** Creates a table for tests, with another size of a generation. */
  LastAnswers(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** The last answer about one counter. Guarded by itself. */
  private static final class Answer {
    private @Nullable Limit limit; // that the answer is about
    private boolean known;
    private long request; // that was answered
    private long remaining;
    private long reported; // the limit's permits, if it follows the load
    private long resetAt;
    private long retryAt;
    private long pending; // admitted, and the reply has not arrived
    private boolean spent; // admitted since the answer, and no reply will arrive

    /** Forgets the answer if it is of another limit, or the counter would be unused by now. */
    void refresh(Limit current, long now) {
      if (!current.equals(limit) || (known && now >= resetAt)) {
        known = false;
        spent = false;
        limit = current;
        request = 0;
      }
    }
  }

  /** Returns the number of a request, to be taken before it is sent. */
  long nextRequest() {
    return requests.incrementAndGet();
  }

  /**
   * Records an outcome that the store reported.
   *
   * @param request the number of the request
   */
  void record(Charge charge, Outcome outcome, long request, long now) {
    var answer = obtain(charge);
    synchronized (answer) {
      answer.refresh(charge.limit(), now);
      boolean isEarlier = answer.known && request < answer.request;
      if (isEarlier) {
        answer.remaining = Math.min(answer.remaining, outcome.remaining());
        return;
      }
      answer.known = true;
      answer.spent = false;
      answer.request = request;
      answer.remaining = outcome.remaining();
      answer.reported = outcome.limit();
      answer.resetAt = now + Math.max(1, outcome.resetAfter());
      answer.retryAt = outcome instanceof Refused refused ? now + refused.retryAfter() : now;
    }
  }

  /**
   * The conditions of a decision by answers.
   *
   * @param instances the number of instances that share the store
   * @param retryAfter when the store may have answered
   */
  record Terms(long now, int instances, long retryAfter) {}

  /**
   * Returns the outcome of a charge by the last answer, without spending any permits.
   *
   * @param owed the permits that were admitted and that the store is not charged for yet
   */
  Outcome outcome(Charge charge, long owed, Terms terms) {
    var answer = obtain(charge);
    synchronized (answer) {
      answer.refresh(charge.limit(), terms.now);
      long reset = answer.known ? answer.resetAt - terms.now : terms.retryAfter;
      long taken = answer.pending + owed;
      long left = answer.known ? Math.max(0, answer.remaining - taken) : 0;
      long reported = answer.reported;
      if (charge.cost() > charge.limit().maxCost()) {
        return new ExceedsCapacity(left, reset, charge.cost(), charge.limit().maxCost(), reported);
      }
      if (charge.cost() == 0) return new Passed(left, reset, 0, reported);
      if (!fits(answer, charge, taken, left, terms)) {
        long retry = answer.known ? answer.retryAt - terms.now : 0;
        return new Refused(left, reset, retry > 0 ? retry : terms.retryAfter, reported);
      }
      // The wait of a queue is at most the time in which it would be empty.
      boolean queued =
          answer.known
              && charge.limit() instanceof LeakyBucket bucket
              && !(bucket.queue() instanceof LeakyBucket.Queue.None);
      long rest = answer.known ? left - charge.cost() : 0;
      return new Passed(rest, Math.max(1, reset), queued ? reset : 0, reported);
    }
  }

  private static boolean fits(Answer answer, Charge charge, long taken, long left, Terms terms) {
    boolean isFirst = taken == 0 && !answer.spent;
    if (!answer.known) return isFirst;
    if (charge.cost() > left) return false;
    return isFirst || taken + charge.cost() <= answer.remaining / Math.max(1, terms.instances);
  }

  /** Subtracts a charge that was admitted until {@link #settle}. */
  void admit(Charge charge) {
    var answer = obtain(charge);
    synchronized (answer) {
      answer.pending += charge.cost();
    }
  }

  /** Ends the subtraction of a charge, because its reply has arrived or will not. */
  void settle(Charge charge) {
    var answer = obtain(charge);
    synchronized (answer) {
      answer.pending = Math.max(0, answer.pending - charge.cost());
    }
  }

  /** Subtracts a charge that was admitted and may have been made until the next answer. */
  void spend(Charge charge) {
    var answer = obtain(charge);
    synchronized (answer) {
      answer.remaining = Math.max(0, answer.remaining - charge.cost());
      answer.spent = true;
    }
  }

  /** Drops the answers about a counter that has been reset. */
  void remove(Counter counter, String key) {
    for (var answers : List.of(young, old)) {
      if (counter.limit() instanceof FairShare) {
        answers.keySet().removeIf(one -> one.counter().equals(counter) && one.key().equals(key));
      } else {
        answers.remove(new CounterShare(counter, key, null));
      }
    }
  }

  private Answer obtain(Charge charge) {
    var key = CounterShare.of(charge);
    var answer = young.get(key);
    if (answer != null) return answer;
    var kept = old.get(key);
    var added = kept == null ? new Answer() : kept;
    var raced = young.putIfAbsent(key, added);
    if (raced != null) return raced;
    if (youngBytes.addAndGet(BYTES + 2L * key.key().length()) > maxBytes) age();
    return added;
  }

  private synchronized void age() {
    if (youngBytes.get() <= maxBytes) return;
    old = young;
    young = new ConcurrentHashMap<>();
    youngBytes.set(0);
  }

  /** Returns the number of answers. */
  int size() {
    return young.size() + old.size();
  }
}
