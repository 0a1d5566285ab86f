package io.headgate.server.rules;

import io.headgate.rule.Subject;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A sample of recent callers, used to preview the effect of changed rules.
 *
 * <p>Each thread that serves checks writes to its own {@link Recorder} without locks or contention.
 * A recorder takes every check until it is full, and then one of {@value #SAMPLING_RATE} on
 * average, so a check costs a counter and a branch. A caller's slot is determined by its hash, so a
 * frequent caller occupies one slot only.
 */
public final class RecentCallers {
  /** Maximum number of callers in a sample. */
  public static final int MAX_SAMPLE = 1_000;

  static final int SAMPLING_RATE = 32;

  private static final int TOTAL_SLOTS = 2_048; // each slot may retain a subject of several kB
  private static final int MIN_SLOTS = 256;

  private final List<Recorder> recorders = new CopyOnWriteArrayList<>();
  private final int slots;

  /**
   * @param threads number of threads that serve checks
   */
  public RecentCallers(int threads) {
    this.slots = Math.max(MIN_SLOTS, Integer.highestOneBit(TOTAL_SLOTS / threads | 1));
  }

  /** Creates the recorder of one thread that serves checks. */
  public Recorder recorder() {
    var recorder = new Recorder(slots);
    recorders.add(recorder);
    return recorder;
  }

  /** Returns a sample of recent callers without duplicates. May be called from any thread. */
  public Set<Subject> sample() {
    var sample = new LinkedHashSet<Subject>();
    for (var recorder : recorders) recorder.addTo(sample);
    return sample;
  }

  /** The callers recorded by one thread. */
  public static final class Recorder {
    private final AtomicReferenceArray<Subject> slots;
    private int untilNext = 1;
    private int filled;

    private Recorder(int slots) {
      this.slots = new AtomicReferenceArray<>(slots);
    }

    /** Records a caller, or skips it. Called by the owning thread only. */
    public void record(Subject subject) {
      if (--untilNext == 0) keep(subject);
    }

    /**
     * Stores the caller. The gap to the next sample is random, so that callers that alternate in a
     * fixed pattern are all sampled.
     */
    private void keep(Subject subject) {
      slots.setRelease(spread(subject.hashCode()) & (slots.length() - 1), subject);
      boolean filling = filled < slots.length();
      if (filling) filled++;
      untilNext = filling ? 1 : ThreadLocalRandom.current().nextInt(1, 2 * SAMPLING_RATE);
    }

    /**
     * Mixes the bits of the hash (the finalizer of MurmurHash3), since names often differ in a few
     * digits only.
     */
    private static int spread(int hash) {
      int mixed = (hash ^ hash >>> 16) * 0x85EBCA6B;
      mixed = (mixed ^ mixed >>> 13) * 0xC2B2AE35;
      return mixed ^ mixed >>> 16;
    }

    private void addTo(Set<Subject> sample) {
      for (int i = 0; i < slots.length() && sample.size() < MAX_SAMPLE; i++) {
        var subject = slots.getAcquire(i);
        if (subject != null) sample.add(subject);
      }
    }
  }
}
