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
 * are sent at a fixed rate, and latency counts from the scheduled time of a call.
 *
 * <p>Not a test; run it manually with the protocol ({@code http} or {@code grpc}), calls per
 * second, seconds, and one port or more. It waits until the last port accepts connections. Services
 * at the other ports get the same load at the same time. If they are warm, they show how much of
 * the latency the machine causes.
 */
final class FirstCalls {
  private static final double LATE_MILLIS = 20;

  private final InetSocketAddress address;
  private final boolean grpc;
  private final int rate;
  private final long[] nanos;
  private final AtomicInteger next = new AtomicInteger();
  private final Thread[] callers;

  private FirstCalls(int port, boolean grpc, int connections, int rate, int seconds) {
    this.callers = new Thread[connections];
    this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    this.grpc = grpc;
    this.rate = rate;
    this.nanos = new long[rate * seconds];
  }

  public static void main(String[] args) throws InterruptedException {
    boolean grpc = args[0].equals("grpc");
    int connections = Integer.parseInt(args[1]);
    int rate = Integer.parseInt(args[2]);
    int seconds = Integer.parseInt(args[3]);
    var loads = new FirstCalls[args.length - 4];
    for (int i = 0; i < loads.length; i++) {
      loads[i] = new FirstCalls(Integer.parseInt(args[i + 4]), grpc, connections, rate, seconds);
    }
    warmUpThisProcess(loads);
    loads[loads.length - 1].awaitListening();
    long start = System.nanoTime();
    for (var load : loads) load.start(start);
    for (var load : loads) load.print();
  }

  /** Calls the services that already listen, so that the latency is not that of a cold client. */
  private static void warmUpThisProcess(FirstCalls[] loads) {
    for (int i = 0; i < loads.length - 1; i++) {
      for (int connections = 0; connections < 200; connections++) {
        try (var connection = loads[i].connect()) {
          for (int call = 0; call < 25; call++) connection.call(connections, call);
        } catch (IOException e) {
          throw new IllegalStateException("the service to compare with does not answer", e);
        }
      }
    }
  }

  private WarmUpConnection connect() throws IOException {
    return grpc ? new WarmUpGrpc(address, 1) : new WarmUpHttp(address);
  }

  private void awaitListening() {
    while (true) {
      try {
        connect().close();
        return;
      } catch (IOException notYet) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
    }
  }

  private void start(long start) {
    for (int i = 0; i < callers.length; i++) {
      callers[i] = Thread.ofPlatform().start(() -> call(start));
    }
  }

  private void call(long start) {
    try (var connection = connect()) {
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

  private void print() throws InterruptedException {
    for (var caller : callers) caller.join();
    var sorted = nanos.clone();
    Arrays.sort(sorted);
    System.out.printf(
        "port %d: %d calls at %d a second: median %.1f ms, 99%% %.1f ms, worst %.1f ms, over %.0f ms: %d%n",
        address.getPort(),
        nanos.length,
        rate,
        millis(sorted[nanos.length / 2]),
        millis(sorted[nanos.length * 99 / 100]),
        millis(sorted[nanos.length - 1]),
        LATE_MILLIS,
        Arrays.stream(nanos).filter(n -> millis(n) > LATE_MILLIS).count());
  }

  private static double millis(long nanos) {
    return nanos / 1e6;
  }
}
