package io.headgate.server.cli;

import io.headgate.RateLimiter;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFile;
import io.headgate.store.MemoryStore;
import io.headgate.store.Ticker;
import io.headgate.testkit.LiveHeap;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Measures the heap of memory stores in a process of its own. In the JVM of the tests a collection
 * takes long, and other threads and stores allocate.
 */
final class StoreHeap {
  static final int KEYS = 10_000;
  private static final int IN_FLIGHT = 500;

  private StoreHeap() {}

  /** Returns a rule file with one limit for each user. */
  static String rules(String limit) {
    return "[{ id: per-user, match: { key: \"user:*\" }, limit: { algorithm: %s } }]"
        .formatted(limit);
  }

  /** Returns the bytes of a store with {@link #KEYS} keys, for each limit. */
  static Map<String, Double> measure(List<String> limits) throws IOException {
    var classPath = System.getProperty("surefire.test.class.path");
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-cp");
    command.add(classPath == null ? System.getProperty("java.class.path") : classPath);
    command.add(StoreHeap.class.getName());
    command.addAll(limits);
    var process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    var bytes = new HashMap<String, Double>();
    try (var out = process.inputReader(StandardCharsets.UTF_8)) {
      for (var limit : limits) {
        bytes.put(limit, Double.parseDouble(String.valueOf(out.readLine())));
      }
      return bytes;
    } finally {
      process.destroyForcibly();
    }
  }

  /** Prints the bytes of a store with the limit of each argument, one store after the other. */
  public static void main(String[] args) {
    bytes(args[0]); // a first measurement includes the classes that it loads
    for (var limit : args) System.out.println(bytes(limit));
  }

  private static long bytes(String limit) {
    var store = MemoryStore.create(Ticker.system(), 2 * KEYS);
    try (var limiter = RateLimiter.with(store, RuleFile.read(rules(limit)))) {
      long before = LiveHeap.bytes();
      fill(limiter, limit);
      return LiveHeap.bytes() - before;
    }
  }

  /** Uses all permits of a limit that stores each request, and 99% of a bucket of an odd rate. */
  static void fill(RateLimiter limiter, String limit) {
    int each = limit.contains(": 10/1d") || limit.contains("max: 10,") ? 10 : 1;
    fill(limiter, KEYS, each, limit.contains("999983") ? 990_000 : 1);
  }

  /** Sends a number of requests of each of a number of callers. */
  static void fill(RateLimiter limiter, int callers, int each, long cost) {
    var pending = new ArrayList<CompletableFuture<?>>();
    for (int i = 0; i < callers * each; i++) {
      var subject = Subject.of("user:%011d".formatted(i % callers));
      pending.add(check(limiter, Request.of(subject, cost)));
      if (pending.size() < IN_FLIGHT) continue;
      CompletableFuture.allOf(pending.toArray(CompletableFuture[]::new)).join();
      pending.clear();
    }
    CompletableFuture.allOf(pending.toArray(CompletableFuture[]::new)).join();
  }

  private static CompletableFuture<?> check(RateLimiter limiter, Request request) {
    return limiter
        .checkForResultAsync(request)
        .thenAccept(result -> {
          if (!result.isAllowed()) throw new IllegalStateException(request + " was denied");
        })
        .toCompletableFuture();
  }
}
