package io.headgate.server.simulation;

import io.headgate.rule.Request;
import io.headgate.server.callers.CallerNaming;
import io.headgate.store.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A sample of the requests of the last ten minutes, used to simulate changed rules.
 *
 * <p>Samples callers rather than requests: it keeps all requests of callers whose name, hashed with
 * a secret seed, begins with a number of zero bits, and none of the others. Only then do limits per
 * caller behave in a replay as they did in production. The number of bits adapts to the traffic: if
 * ten minutes do not fit into the capacity, one more bit halves the number of callers.
 *
 * <p>If even a few callers fill the capacity, their requests are kept for a shorter, but complete,
 * period.
 *
 * <p>Each thread that serves checks writes to its own {@link TrafficRing} without locks. A request
 * that is not sampled costs a hash and a comparison.
 */
public final class RecentTraffic {
  public static final int MAX_REQUESTS = 50_000;
  static final long RETENTION_MICROS = 600_000_000;
  static final int MAX_BITS = 24;

  /**
   * A request takes at most 4 kB, with as many attributes as it may have; an eighth of the heap.
   */
  private static final long HEAP_PER_REQUEST = 8 * 4_096;

  private static final long MINUTE = 60_000_000;

  /**
   * A sample of the traffic.
   *
   * @param arrivals in order of their times
   * @param seen the number of requests in the period of the sample, including those that are not in
   *     it; approximate if a thread served no sampled request
   */
  public record Sample(List<Arrival> arrivals, long seen) {
    public Sample {
      arrivals = List.copyOf(arrivals);
      seen = Math.max(seen, arrivals.size());
    }

    /** Returns the number of requests that each request of the sample represents, at least 1. */
    public double weight() {
      return arrivals.isEmpty() ? 1 : (double) seen / arrivals.size();
    }
  }

  private record Widening(long micros, int bits) {}

  private final List<TrafficRing> rings = new CopyOnWriteArrayList<>();
  private final Deque<Widening> widenings = new ArrayDeque<>(); // guarded by this
  private final Ticker ticker;
  private final int capacity;
  private final int seed = ThreadLocalRandom.current().nextInt();
  private volatile int bits;
  private volatile long widenedAt;

  /**
   * @param threads number of threads that serve checks
   */
  public RecentTraffic(int threads, Ticker ticker) {
    this(ticker, Math.max(1, maxRequests(Runtime.getRuntime().maxMemory()) / threads));
  }

  /** Returns the number of requests to keep in a heap of a size. */
  static int maxRequests(long heapBytes) {
    return Math.toIntExact(Math.clamp(heapBytes / HEAP_PER_REQUEST, 1, MAX_REQUESTS));
  }

  /**
   * @param capacity number of requests each thread keeps
   */
  RecentTraffic(Ticker ticker, int capacity) {
    this.capacity = capacity;
    this.ticker = ticker;
    this.widenedAt = ticker.micros();
  }

  /** Creates the ring of one thread that serves checks. */
  public TrafficRing ring() {
    var ring = new TrafficRing(this, capacity);
    rings.add(ring);
    return ring;
  }

  int bits() {
    return bits;
  }

  long now() {
    return ticker.micros();
  }

  boolean isSampled(int hash, int zeroBits) {
    return zeroBits == 0 || mix(hash ^ seed) >>> (32 - zeroBits) == 0;
  }

  /**
   * Mixes the bits of a hash, so that names that differ in one digit differ in about half of the
   * bits.
   */
  private static int mix(int hash) {
    int h = (hash ^ hash >>> 16) * 0x7feb352d;
    h = (h ^ h >>> 15) * 0x846ca68b;
    return h ^ h >>> 16;
  }

  /** Halves the number of sampled callers, unless another thread has just done so. */
  synchronized void narrow(int seen) {
    if (bits == seen && bits < MAX_BITS) bits = seen + 1;
  }

  /**
   * Doubles the number of sampled callers when there is enough free capacity, at most once a
   * minute.
   */
  void widenIfQuiet(long now) {
    if (bits > 0 && now - widenedAt >= MINUTE) widen(now);
  }

  private synchronized void widen(long now) {
    if (bits == 0 || now - widenedAt < MINUTE) return;
    widenedAt = now;
    for (var ring : rings) {
      if (ring.count(now) > capacity / 4) return;
    }
    widenings.addLast(new Widening(now, bits));
    bits--;
  }

  /**
   * Returns the number of zero bits that applied throughout the period. Callers added since by a
   * widening are incomplete.
   */
  private synchronized int bitsSince(long moment) {
    while (!widenings.isEmpty() && widenings.getFirst().micros < moment) widenings.removeFirst();
    int max = bits;
    for (var widening : widenings) max = Math.max(max, widening.bits);
    return max;
  }

  /** Returns the current sample. May be called from any thread. */
  public Sample sample() {
    long now = ticker.micros();
    int zeroBits = bitsSince(now - RETENTION_MICROS);
    long after = now - RETENTION_MICROS;
    for (var ring : rings) after = Math.max(after, ring.droppedAt());
    var arrivals = new ArrayList<Arrival>();
    long seen = 0;
    for (var ring : rings) {
      ring.addTo(arrivals, after, zeroBits);
      seen += ring.seenSince(after);
    }
    arrivals.sort(Comparator.comparingLong(Arrival::micros));
    return new Sample(arrivals, seen);
  }

  static int hashOf(Request request) {
    return CallerNaming.DEFAULT.hashOf(request.subject());
  }
}
