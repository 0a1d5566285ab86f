package io.headgate.server.envoy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Sends requests through Envoy at a constant rate and counts those that Headgate decided. */
final class Traffic implements AutoCloseable {
  private static final int CLIENTS = 4;

  /** The counts so far; a response to a checked request has Headgate's headers. */
  record Count(int total, int unchecked, int failed) {
    Count since(Count before) {
      return new Count(total - before.total, unchecked - before.unchecked, failed - before.failed);
    }

    @Override
    public String toString() {
      return "%d unchecked and %d failed of %d".formatted(unchecked, failed, total);
    }
  }

  private final AtomicInteger total = new AtomicInteger();
  private final AtomicInteger unchecked = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();
  private final List<Thread> clients = new ArrayList<>();
  private volatile boolean ending;

  Traffic(int port, int perSecond) {
    var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/")).build();
    long pause = Duration.ofSeconds(CLIENTS).toNanos() / perSecond;
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(Thread.ofPlatform().start(() -> send(request, pause)));
    }
  }

  private void send(HttpRequest request, long pause) {
    try (var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      long next = System.nanoTime();
      while (!ending) {
        count(client, request);
        next += pause;
        LockSupport.parkNanos(next - System.nanoTime());
      }
    }
  }

  private void count(HttpClient client, HttpRequest request) {
    try {
      var answer = client.send(request, BodyHandlers.discarding());
      if (answer.statusCode() != 200) failed.incrementAndGet();
      else if (answer.headers().firstValue("RateLimit-Policy").isEmpty()) {
        unchecked.incrementAndGet();
      }
    } catch (IOException e) {
      failed.incrementAndGet();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    total.incrementAndGet();
  }

  Count soFar() {
    return new Count(total.get(), unchecked.get(), failed.get());
  }

  @Override
  public void close() {
    ending = true;
    for (var client : clients) {
      try {
        client.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
