package io.headgate.internal.consistency;

import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Finds the counters that are requested most often, in constant memory.
 *
 * <p>Runs the majority vote algorithm of Boyer and Moore ("MJRTY: A Fast Majority Vote Algorithm",
 * 1981) in each of {@value #BUCKETS} hash buckets, as one row of an MV-Sketch does (Tang, Huang and
 * Lee, INFOCOM 2019). A bucket has one candidate with a number of votes. A request for the
 * candidate adds a vote, a request for any other counter of the bucket removes one, and the counter
 * that removes the last vote becomes the candidate. The hash is keyed, so a counter shares the
 * bucket of a given hot counter with a probability of 1 in {@value #BUCKETS}, whatever keys callers
 * choose.
 *
 * <p>{@link #halve} halves all votes, which makes them an exponentially decayed count of the last
 * seconds.
 *
 * <p>Thread-safe and lock-free. Concurrent requests may lose a change of candidate, which only
 * delays it.
 */
final class HotKeySketch {
  private static final int BUCKETS = 4_096;

  /**
   * A counter that is hot.
   *
   * @param perSecond the estimated number of requests per second
   */
  record Hot(Counter counter, String key, double perSecond) {}

  private static final class Candidate {
    final Counter counter;
    final String key;
    final AtomicLong votes = new AtomicLong(1);

    Candidate(Counter counter, String key) {
      this.counter = counter;
      this.key = key;
    }

    boolean isFor(Counter counter, String key) {
      return this.key.equals(key) && this.counter.equals(counter);
    }
  }

  private final AtomicReferenceArray<@Nullable Candidate> buckets =
      new AtomicReferenceArray<>(BUCKETS);
  private final double perSecondPerVote;
  private final long hotVotes;

  /**
   * Creates an empty sketch.
   *
   * @param halvingIntervalSeconds how often {@link #halve} will be called
   * @param hotPerSecond the number of requests per second from which on a counter is hot
   */
  HotKeySketch(double halvingIntervalSeconds, double hotPerSecond) {
    // With r requests between two halvings, votes grow from r to 2r: 1.5 r on average.
    this.perSecondPerVote = 1 / (1.5 * halvingIntervalSeconds);
    this.hotVotes = Math.max(2, Math.round(hotPerSecond / perSecondPerVote));
  }

  /**
   * Records a request for a counter.
   *
   * @return whether the counter is hot
   */
  boolean record(Charge charge) {
    int index = charge.hash() & BUCKETS - 1;
    var candidate = buckets.get(index);
    if (candidate != null && candidate.isFor(charge.counter(), charge.key())) {
      return candidate.votes.incrementAndGet() > hotVotes;
    }
    if (candidate == null || candidate.votes.decrementAndGet() <= 0) {
      buckets.compareAndSet(index, candidate, new Candidate(charge.counter(), charge.key()));
    }
    return false;
  }

  /** Halves all votes, and removes candidates without votes. */
  void halve() {
    for (int i = 0; i < BUCKETS; i++) {
      var candidate = buckets.get(i);
      if (candidate == null) continue;
      long left = candidate.votes.updateAndGet(votes -> votes / 2);
      if (left == 0) buckets.compareAndSet(i, candidate, null);
    }
  }

  /** Returns at most {@code max} hot counters, the hottest first. */
  List<Hot> hottest(int max) {
    var all = new ArrayList<Hot>();
    for (int i = 0; i < BUCKETS; i++) {
      var candidate = buckets.get(i);
      if (candidate == null || candidate.votes.get() <= hotVotes) continue;
      double perSecond = candidate.votes.get() * perSecondPerVote;
      all.add(new Hot(candidate.counter, candidate.key, perSecond));
    }
    all.sort(Comparator.comparingDouble(Hot::perSecond).reversed());
    return all.size() > max ? List.copyOf(all.subList(0, max)) : all;
  }
}
