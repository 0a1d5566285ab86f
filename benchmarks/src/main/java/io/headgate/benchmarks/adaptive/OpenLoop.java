package io.headgate.benchmarks.adaptive;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;

/** Sends requests at given times, whether or not earlier ones have been answered. */
final class OpenLoop {
  /** A request is measured from the time at which it is due. The first quarter is not measured. */
  private static final double WARM_UP = 0.25;

  private static final int MAX_OPEN = 4_000;

  /**
   * The result of a run.
   *
   * @param goodput the requests per second that were answered with 200 in time
   * @param p99 the 99th percentile of the time of requests that were not refused, in seconds
   */
  record Result(double goodput, double p99) {}

  static Result run(URI uri, double perSecond, int seconds, double timeout)
      throws InterruptedException {
    var random = new SplittableRandom(7);
    var latencies = new ConcurrentHistogram(3);
    var good = new LongAdder();
    var open = new Phaser(1);
    var request =
        HttpRequest.newBuilder(uri).timeout(Duration.ofMillis((long) (timeout * 1e3))).build();
    try (var client = HttpClient.newHttpClient()) {
      long start = System.nanoTime();
      long measureFrom = start + (long) (WARM_UP * seconds * 1e9);
      long end = start + (long) (seconds * 1e9);
      double due = start;
      while (true) {
        due += -Math.log(1 - random.nextDouble()) / perSecond * 1e9;
        long at = (long) due;
        if (at >= end) break;
        while (System.nanoTime() < at) LockSupport.parkNanos(at - System.nanoTime());
        if (open.getUnarrivedParties() > MAX_OPEN) continue; // bounds the memory of a run
        open.register();
        var unused =
            client
                .sendAsync(request, BodyHandlers.discarding())
                .handle((response, failure) -> {
                  long took = System.nanoTime() - at;
                  boolean isRefused = response != null && response.statusCode() == 503;
                  if (at >= measureFrom && !isRefused) {
                    latencies.recordValue(took / 1_000);
                    if (response != null && took <= timeout * 1e9) good.increment();
                  }
                  open.arriveAndDeregister();
                  return null;
                });
      }
      open.arriveAndAwaitAdvance();
    }
    return new Result(
        good.sum() / (seconds * (1 - WARM_UP)), latencies.getValueAtPercentile(99) / 1e6);
  }

  private OpenLoop() {}
}
