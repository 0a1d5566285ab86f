package io.headgate.benchmarks.adaptive;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.headgate.load.CallOutcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * An HTTP server with a policy in front of a bounded number of workers, on the loopback interface.
 * A refused request gets status 503 at once; others wait for a worker.
 */
final class LimitedServer implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Semaphore workers;
  private final Runnable work;
  private final AdmissionPolicy policy;
  private final long timeoutMicros;
  private volatile boolean isClosed;
  private int inFlight; // guarded by policy, as the policy itself

  LimitedServer(int workers, Runnable work, AdmissionPolicy policy, double timeout)
      throws IOException {
    this.workers = new Semaphore(workers, true);
    this.work = work;
    this.policy = policy;
    this.timeoutMicros = (long) (timeout * 1e6);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_000);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:%d/".formatted(server.getAddress().getPort()));
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      long started = micros();
      if (!admits(started)) {
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      try {
        workers.acquireUninterruptibly();
        try {
          if (!isClosed) work.run(); // a backlog must not disturb the next run
        } finally {
          workers.release();
        }
      } finally {
        completed(started);
      }
      exchange.sendResponseHeaders(200, -1);
    }
  }

  private boolean admits(long now) {
    synchronized (policy) {
      if (!policy.admits(new Plant.Tenant(1, 0), 0, 0, now, inFlight)) return false;
      inFlight++;
      return true;
    }
  }

  private void completed(long started) {
    synchronized (policy) {
      long now = micros();
      var outcome = now - started >= timeoutMicros ? CallOutcome.DROPPED : CallOutcome.SUCCESS;
      policy.completed(now, now - started, inFlight, outcome);
      inFlight--;
    }
  }

  private static long micros() {
    return System.nanoTime() / 1_000;
  }

  @Override
  public void close() {
    isClosed = true;
    server.stop(0);
    List<Runnable> unstarted = threads.shutdownNow();
    if (!unstarted.isEmpty()) throw new IllegalStateException("requests were not started");
  }
}
