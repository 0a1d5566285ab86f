package io.headgate.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the latency of the first calls to a newly started service with an open-loop load: calls
 * are sent at a fixed rate, and latency counts from the scheduled time of a call. Not a test; run
 * it manually with the port, calls per second, and seconds.
 */
final class FirstCalls {
  private static final int CALLERS = 48;
  private static final double LATE_MILLIS = 20;

  public static void main(String[] args) throws InterruptedException {
    var address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
    int rate = Integer.parseInt(args[1]);
    int calls = rate * Integer.parseInt(args[2]);
    long[] nanos = new long[calls];
    var next = new AtomicInteger();
    long start = System.nanoTime();
    var callers = new Thread[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
      callers[i] = Thread.ofPlatform().start(() -> call(address, next, start, rate, nanos));
    }
    for (var caller : callers) caller.join();
    var sorted = nanos.clone();
    Arrays.sort(sorted);
    long late = Arrays.stream(nanos).filter(n -> millis(n) > LATE_MILLIS).count();
    System.out.printf(
        "%d calls at %d a second: median %.1f ms, 99%% %.1f ms, worst %.1f ms, over %.0f ms: %d%n",
        calls,
        rate,
        millis(sorted[calls / 2]),
        millis(sorted[calls * 99 / 100]),
        millis(sorted[calls - 1]),
        LATE_MILLIS,
        late);
  }

  private static void call(
      InetSocketAddress address, AtomicInteger next, long start, int rate, long[] nanos) {
    try (var connection = new WarmUpHttp(address)) {
      for (int i = next.getAndIncrement(); i < nanos.length; i = next.getAndIncrement()) {
        long due = start + TimeUnit.SECONDS.toNanos(i) / rate;
        for (long rest = due - System.nanoTime(); rest > 0; rest = due - System.nanoTime()) {
          LockSupport.parkNanos(rest);
        }
        connection.call(i, 0);
        nanos[i] = System.nanoTime() - due;
      }
    } catch (IOException e) {
      throw new IllegalStateException("a connection failed", e);
    }
  }

  private static double millis(long nanos) {
    return nanos / 1e6;
  }

  private FirstCalls() {}
}
