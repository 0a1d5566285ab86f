package io.headgate.server.simulation;

import io.headgate.rule.Request;
import io.headgate.store.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A sample of the last minutes' requests, to try changed rules on.
 *
 * <p>Keeps callers rather than requests: all requests of those whose name, hashed with a seed that
 * nobody outside knows, begins with so many zero bits, and none of the others. Only so does a limit
 * per caller see in a replay what it saw in earnest. How many bits follows from the traffic: where
 * ten minutes do not fit into the room there is, one bit more halves the callers.
 *
 * <p>Where even a few callers fill the room, they are kept for a shorter time: from when on all of
 * what they asked is there.
 *
 * <p>Each thread that serves checks writes to an {@link TrafficRing} of its own, without a lock.
 * What is not kept costs it a hash and a comparison.
 */
public final class RecentTraffic {
  public static final int MOST = 50_000;
  static final long KEPT_MICROS = 600_000_000;
  static final int MOST_BITS = 24;
  private static final long MINUTE = 60_000_000;

  /**
   * @param arrivals in the order of their times
   * @param weight how many real callers each of these stands for
   */
  public record Sample(List<Arrival> arrivals, double weight) {
    public Sample {
      arrivals = List.copyOf(arrivals);
    }
  }

  private record Loosening(long micros, int bits) {}

  private final List<TrafficRing> ears = new CopyOnWriteArrayList<>();
  private final Deque<Loosening> loosenings = new ArrayDeque<>(); // guarded by this
  private final Ticker ticker;
  private final int room;
  private final int seed = ThreadLocalRandom.current().nextInt();
  private volatile int bits;
  private volatile long loosenedAt;

  /**
   * @param threads how many will serve checks
   */
  public RecentTraffic(int threads, Ticker ticker) {
    this(ticker, Math.max(1, MOST / threads));
  }

  /**
   * @param room how many requests each thread keeps
   */
  RecentTraffic(Ticker ticker, int room) {
    this.room = room;
    this.ticker = ticker;
    this.loosenedAt = ticker.micros();
  }

  /** For one thread that serves checks. */
  public TrafficRing ear() {
    var ear = new TrafficRing(this, room);
    ears.add(ear);
    return ear;
  }

  int bits() {
    return bits;
  }

  long now() {
    return ticker.micros();
  }

  boolean isKept(int hash, int zeros) {
    return zeros == 0 || mixed(hash ^ seed) >>> (32 - zeros) == 0;
  }

  /** Names that differ in a digit are to differ in every bit. */
  private static int mixed(int hash) {
    int h = (hash ^ hash >>> 16) * 0x7feb352d;
    h = (h ^ h >>> 15) * 0x846ca68b;
    return h ^ h >>> 16;
  }

  /** Keeps half as many callers, unless somebody else has just seen to that. */
  synchronized void tighten(int seen) {
    if (bits == seen && bits < MOST_BITS) bits = seen + 1;
  }

  /** Keeps twice as many callers again once there is plenty of room, a step each minute. */
  void loosenIfQuiet(long now) {
    if (bits > 0 && now - loosenedAt >= MINUTE) loosen(now);
  }

  private synchronized void loosen(long now) {
    if (bits == 0 || now - loosenedAt < MINUTE) return;
    loosenedAt = now;
    for (var ear : ears) {
      if (ear.count(now) > room / 4) return;
    }
    loosenings.addLast(new Loosening(now, bits));
    bits--;
  }

  /** What was kept all the time: who came in by a loosening is there in part only. */
  private synchronized int bitsSince(long moment) {
    while (!loosenings.isEmpty() && loosenings.getFirst().micros < moment) loosenings.removeFirst();
    int most = bits;
    for (var loosening : loosenings) most = Math.max(most, loosening.bits);
    return most;
  }

  public Sample sample() {
    long now = ticker.micros();
    int zeros = bitsSince(now - KEPT_MICROS);
    long after = now - KEPT_MICROS;
    for (var ear : ears) after = Math.max(after, ear.droppedAt());
    var arrivals = new ArrayList<Arrival>();
    for (var ear : ears) ear.addTo(arrivals, after, zeros);
    arrivals.sort(Comparator.comparingLong(Arrival::micros));
    return new Sample(arrivals, Math.scalb(1.0, zeros));
  }

  static int hashOf(Request request) {
    return CallerId.hash(request.subject());
  }
}
