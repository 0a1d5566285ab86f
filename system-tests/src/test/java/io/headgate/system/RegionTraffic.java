package io.headgate.system;

import io.headgate.testkit.Eventually;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Checks of one key in several regions at a constant rate, until closed. */
final class RegionTraffic implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long PERIOD_NANOS = 10_000_000; // 100 checks a second in each region

  /** When a check was admitted: between the request and the reply. */
  private record Admission(long from, long to) {}

  private final ConcurrentLinkedQueue<Admission> admissions = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
  private final List<AtomicLong> admitted = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final String[] sources;
  private volatile boolean closed;

  RegionTraffic(int regions) {
    for (int i = 0; i < regions; i++) admitted.add(new AtomicLong());
    sources = new String[regions];
  }

  /** Starts the checks of a region, which end when its process does. */
  void start(int region, int port) {
    threads.add(Thread.ofPlatform().daemon().start(() -> run(region, port)));
  }

  private void run(int region, int port) {
    try (var client = new CheckClient(port)) {
      long next = System.nanoTime();
      while (!closed) {
        long wait = next - System.nanoTime();
        if (wait > 0) LockSupport.parkNanos(wait);
        next = Math.max(next + PERIOD_NANOS, System.nanoTime());
        long from = System.nanoTime();
        var answer = client.ask("k");
        long to = System.nanoTime();
        if (answer.status() != 200 && answer.status() != 429) failures.add(answer.body());
        synchronized (sources) {
          sources[region] = answer.isAllowed() ? "" : answer.source();
        }
        if (!answer.isAllowed()) continue;
        admissions.add(new Admission(from, to));
        admitted.get(region).incrementAndGet();
      }
    } catch (UncheckedIOException e) {
      // The process was killed.
    }
  }

  /** Waits until a region has admitted more checks. */
  void awaitAdmitted(int region, int more) {
    long until = admitted.get(region).get() + more;
    Eventually.holds(
        "region %d admits %d more".formatted(region, more),
        PATIENCE,
        () -> admitted.get(region).get() >= until);
  }

  /** Waits until the last check of a region was denied with this source. */
  void awaitSource(int region, String source) {
    Eventually.holds(
        "region %d denies by %s".formatted(region, source),
        PATIENCE,
        () -> {
          synchronized (sources) {
            return source.equals(sources[region]);
          }
        });
  }

  long admitted() {
    return admissions.size();
  }

  List<String> failures() {
    return List.copyOf(failures);
  }

  /**
   * Returns when the longest time between two admissions of any regions ended, from a moment on.
   */
  long endOfLongestPauseSince(long from) {
    long last = from;
    long longest = 0;
    long end = from;
    for (var one : sorted()) {
      if (one.to - from < 0) continue;
      if (one.from - last > longest) {
        longest = one.from - last;
        end = one.to;
      }
      last = one.to;
    }
    return end;
  }

  private List<Admission> sorted() {
    return admissions.stream().sorted(Comparator.comparingLong(Admission::to)).toList();
  }

  /**
   * Returns by how many checks the fullest span of time exceeds a token bucket. Only checks whose
   * request and reply lie within a span count for it, so that a positive number is certain.
   */
  long excess(int perSecond, int burst) {
    var all = sorted();
    double most = Double.NEGATIVE_INFINITY;
    for (var first : all) {
      int inside = 0;
      for (var last : all) {
        if (last.from - first.from < 0) continue;
        inside++;
        double allowed = burst + perSecond * ((last.to - first.from) / 1e9);
        most = Math.max(most, inside - allowed);
      }
    }
    return (long) Math.ceil(most);
  }

  @Override
  public void close() {
    closed = true;
    for (var thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
