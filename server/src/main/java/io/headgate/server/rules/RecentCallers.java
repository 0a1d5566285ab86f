package io.headgate.server.rules;

import io.headgate.rule.Subject;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A sample of those who have asked lately, to try changed rules on.
 *
 * <p>Each thread that serves checks has a {@link Ear} of its own, which nobody else writes to: no
 * lock, no contention. It listens to the first checks all, and later to one of {@value #ONE_OF}: a
 * check pays for a counter and a branch. A caller has a slot by its hash, so that one who asks all
 * the time takes up one slot and not all.
 */
public final class RecentCallers {
  /** How many callers a look sees at the most. */
  public static final int MOST = 1_000;

  static final int ONE_OF = 32;

  private static final int ALL_SLOTS = 2_048; // each may keep a subject of some kB from being freed
  private static final int FEWEST_SLOTS = 256;

  private final List<Ear> ears = new CopyOnWriteArrayList<>();
  private final int slots;

  /**
   * @param threads how many will serve checks
   */
  public RecentCallers(int threads) {
    this.slots = Math.max(FEWEST_SLOTS, Integer.highestOneBit(ALL_SLOTS / threads | 1));
  }

  /** For one thread that serves checks. */
  public Ear ear() {
    var ear = new Ear(slots);
    ears.add(ear);
    return ear;
  }

  /** Some of those who have asked lately, each once. */
  public Set<Subject> sample() {
    var sample = new LinkedHashSet<Subject>();
    for (var ear : ears) ear.addTo(sample);
    return sample;
  }

  /** What one thread has heard. */
  public static final class Ear {
    private final AtomicReferenceArray<Subject> slots;
    private int untilNext = 1;
    private int kept;

    private Ear(int slots) {
      this.slots = new AtomicReferenceArray<>(slots);
    }

    /** By the thread of this ear only. */
    public void hear(Subject subject) {
      if (--untilNext == 0) keep(subject);
    }

    /** The gaps vary, so that callers who take turns are all heard. */
    private void keep(Subject subject) {
      slots.setRelease(spread(subject.hashCode()) & (slots.length() - 1), subject);
      boolean filling = kept < slots.length();
      if (filling) kept++;
      untilNext = filling ? 1 : ThreadLocalRandom.current().nextInt(1, 2 * ONE_OF);
    }

    /** What callers are named by often differs in a few digits only. */
    private static int spread(int hash) {
      int mixed = (hash ^ hash >>> 16) * 0x85EBCA6B;
      mixed = (mixed ^ mixed >>> 13) * 0xC2B2AE35;
      return mixed ^ mixed >>> 16;
    }

    private void addTo(Set<Subject> sample) {
      for (int i = 0; i < slots.length() && sample.size() < MOST; i++) {
        var subject = slots.getAcquire(i);
        if (subject != null) sample.add(subject);
      }
    }
  }
}
