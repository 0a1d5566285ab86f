package io.headgate.benchmarks.adaptive;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures policies on two real HTTP servers on the loopback interface, at three times their
 * capacity.
 */
final class RealPlants {
  private static final List<Contender> MEASURED =
      List.of(
          Contender.NONE,
          Contender.FIXED_RIGHT,
          Contender.GRADIENT2,
          Contender.VEGAS,
          Contender.HEADGATE);
  private static final double SERVICE = 0.010;
  private static final double QUERY = 0.050;
  private static final double TIMEOUT = 1;

  /** Computes until so many nanoseconds of time have passed. */
  private static void compute(long nanos) {
    long end = System.nanoTime() + nanos;
    long state = end;
    while (System.nanoTime() < end) {
      for (int i = 0; i < 200; i++) state = state * 6364136223846793005L + 1442695040888963407L;
    }
    if (state == 0) throw new IllegalStateException("unreachable: the state is odd or even, not 0");
  }

  private static void query(double seconds) {
    LockSupport.parkNanos((long) (seconds * 1e9));
  }

  static String report(int seconds) throws IOException, InterruptedException {
    var random = new SplittableRandom(1);
    var text = new StringBuilder();
    text.append(
        """
        Two HTTP servers in this process on the loopback interface, offered three times their capacity for %d s by an \
        open-loop generator; a client gives up after %.0f s. Goodput in requests per second, 99th percentile of admitted \
        requests in ms:

        | server | policy | goodput | p99 |
        | --- | --- | --: | --: |
        """
            .formatted(seconds, TIMEOUT));
    var compute = Plant.of("CPU-bound, one worker", 1, new ServiceTime.Fixed(SERVICE));
    var database = Plant.of("16 connections", 16, new ServiceTime.Exponential(QUERY));
    var unmeasured = new StringBuilder(); // the first run is that of a cold JVM
    row(unmeasured, database, Contender.FIXED_RIGHT, () -> query(QUERY), 3);
    for (var contender : MEASURED) {
      Runnable work = () -> compute((long) (SERVICE * 1e9));
      row(text, compute, contender, work, seconds);
    }
    for (var contender : MEASURED) {
      Runnable work =
          () -> {
            double length;
            synchronized (random) {
              length = database.service().sample(random);
            }
            query(length);
          };
      row(text, database, contender, work, seconds);
    }
    return text.toString();
  }

  private static void row(
      StringBuilder text, Plant plant, Contender contender, Runnable work, int seconds)
      throws IOException, InterruptedException {
    int workers = (int) plant.workers().at(0);
    try (var server = new LimitedServer(workers, work, contender.policy(plant), TIMEOUT)) {
      var result = OpenLoop.run(server.uri(), plant.offered(0), seconds, TIMEOUT);
      text.append(
          String.format(
              Locale.ROOT,
              "| %s, capacity %.0f | %s | %.0f | %.0f |\n",
              plant.name(),
              plant.capacity(0),
              contender.title,
              result.goodput(),
              result.p99() * 1e3));
    }
  }

  private RealPlants() {}
}
