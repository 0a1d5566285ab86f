package io.headgate.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.Eventually;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sends each endpoint that keeps state hostile volumes: distinct subjects with the longest values,
 * large bodies, costs of 0, and nothing that is ended. All tests share one service with a heap of
 * 128 MB, and what they leave behind is never given back, so that it adds up until the last test.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class AbuseIT {
  private static final Duration FLOOD = Duration.ofMillis(700);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long MAX_LIVE_BYTES = 90L << 20;
  private static final int CALLERS = 4;
  private static final int PIPELINED_BYTES = 256 * 1024;
  private static final int STREAMS = 200;
  private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)");
  private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: *(\\d+)\r\n");
  private static final String RULES =
      """
      rules:
        - { id: bucket, match: { key: "*" }, per: [key, a0, a1, a30], limit: { algorithm: token-bucket, rate: 1M/1m }, consistency: auto }
        - { id: sliding, match: { key: "*" }, per: [key, a0], limit: { algorithm: sliding-window, rate: 1M/1m } }
        - { id: rolling, match: { log: "*" }, limit: { algorithm: rolling-window, rate: 100k/1m } }
        - { id: slots, match: { slot: "*" }, limit: { algorithm: concurrency, max: 100k, lease: 60s } }
        - { id: fair, match: { tenant: "*" }, per: [], limit: { algorithm: token-bucket, rate: 1M/1m, fair: { among: tenant } } }
        - { id: shedding, match: { backend: "*" }, per: [backend], shed: { signal: utilization, target: 0.8, priority: { by: priority, order: [critical, bulk] } } }
        - { id: known, match: { known: "*" }, limit: { algorithm: fixed-window, rate: 5/30d } }
      """;

  @TempDir static Path folder;

  private static final AtomicInteger NEXT = new AtomicInteger();
  private static HeadgateProcess service;

  @BeforeAll
  static void start() throws IOException {
    Files.writeString(folder.resolve("rules.yaml"), RULES);
    service =
        new HeadgateProcess(
            folder,
            Map.of("JDK_JAVA_OPTIONS", "-Xmx128m"),
            "serve",
            "--port",
            "0",
            "--rules",
            "rules.yaml",
            "--data",
            "data");
    int unused = service.port();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  /** A connection that is not read until several requests are sent. */
  private static final class Caller implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;

    Caller() throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), service.port());
      socket.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
      in = new BufferedInputStream(socket.getInputStream());
    }

    void send(byte[] requests) throws IOException {
      socket.getOutputStream().write(requests);
    }

    /** Reads a response; returns its status line and its body. */
    String read() throws IOException {
      var head = new ByteArrayOutputStream();
      while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
        int next = in.read();
        if (next < 0) throw new IOException("the service closed the connection after " + head);
        head.write(next);
      }
      var text = head.toString(StandardCharsets.ISO_8859_1);
      var length = LENGTH.matcher(text);
      int bytes = length.find() ? Integer.parseInt(length.group(1)) : 0;
      var body = new String(in.readNBytes(bytes), StandardCharsets.UTF_8);
      return text.substring("HTTP/1.1 ".length(), text.indexOf("\r\n")) + ' ' + body;
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static byte[] request(String line, String headers, String body) {
    var bytes = body.getBytes(StandardCharsets.UTF_8);
    var head =
        "%s HTTP/1.1\r\nHost: 127.0.0.1\r\n%sContent-Length: %d\r\n\r\n"
            .formatted(line, headers, bytes.length);
    var all = new ByteArrayOutputStream();
    all.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
    all.writeBytes(bytes);
    return all.toByteArray();
  }

  private static byte[] post(String path, String body) {
    return request("POST " + path, "Content-Type: application/json\r\n", body);
  }

  /** Returns a subject with as many and as long attributes as are allowed. */
  private static String largest(int n) {
    var text = new StringBuilder("{\"key\":\"k").append(n).append('"');
    for (int i = 0; i < 31; i++) {
      text.append(",\"a%d\":\"%d%s\"".formatted(i, n, "x".repeat(1_000)));
    }
    return text.append('}').toString();
  }

  private static String distinct(String attribute, int n) {
    return "{\"%s\":\"%d%s\"}".formatted(attribute, n, "y".repeat(1_000));
  }

  /** Sends requests for a while, from several callers, and then requires that the service works. */
  private static void flood(IntFunction<byte[]> requests) throws Exception {
    var statuses = new ConcurrentSkipListMap<String, LongAdder>();
    var floods = new ArrayList<Future<?>>();
    long end = System.nanoTime() + FLOOD.toNanos();
    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CALLERS; i++) {
        floods.add(
            callers.submit(() -> {
              try (var caller = new Caller()) {
                while (System.nanoTime() < end) send(caller, requests, statuses);
              }
              return null;
            }));
      }
    }
    for (var flood : floods) flood.get();
    assertThat(statuses).isNotEmpty().doesNotContainKey("500");
    requireWorking();
  }

  private static void send(
      Caller caller, IntFunction<byte[]> requests, Map<String, LongAdder> statuses)
      throws IOException {
    var out = new ByteArrayOutputStream();
    int sent = 0;
    for (; out.size() < PIPELINED_BYTES && sent < 100; sent++) {
      out.writeBytes(requests.apply(NEXT.incrementAndGet()));
    }
    caller.send(out.toByteArray());
    for (; sent > 0; sent--) {
      var status = caller.read().substring(0, 3);
      statuses.computeIfAbsent(status, code -> new LongAdder()).increment();
    }
  }

  private static void requireWorking() throws IOException {
    assertThat(service.isAlive()).as(service.err()).isTrue();
    try (var caller = new Caller()) {
      caller.send(request("GET /health/ready", "", ""));
      assertThat(caller.read()).startsWith("200 ");
      var known = "{\"subject\":{\"known\":\"%d\"}}".formatted(NEXT.incrementAndGet());
      caller.send(post("/v1/check", known));
      assertThat(caller.read()).startsWith("200 ").contains("\"known\"", "\"remaining\":4");
    }
  }

  private static void flood(String path, IntFunction<String> bodies) throws Exception {
    flood(n -> post(path, bodies.apply(n)));
  }

  @Test
  @Order(1)
  void reservationsOfNothing() throws Exception {
    flood("/v1/reservations", n -> "{\"subject\":" + largest(n) + ",\"cost\":0,\"ttlMs\":3600000}");
  }

  @Test
  @Order(2)
  void reservationsThatAreNeverSettled() throws Exception {
    flood("/v1/reservations", n -> "{\"subject\":" + largest(n) + ",\"ttlMs\":3600000}");
    flood("/v1/reservations", n -> "{\"subject\":{\"key\":\"one\"},\"ttlMs\":3600000}");
    flood("/v1/reservations", n -> "{\"subject\":{\"key\":\"" + n + "\"},\"ttlMs\":3600000}");
  }

  @Test
  @Order(3)
  void leasesThatAreNeverReturned() throws Exception {
    flood("/v1/leases", n -> "{\"subject\":" + largest(n) + ",\"checks\":10}");
  }

  @Test
  @Order(4)
  void slotsThatAreNeverReleased() throws Exception {
    flood("/v1/slots", n -> "{\"subject\":" + distinct("slot", n) + "}");
    flood("/v1/slots", n -> "{\"subject\":{\"slot\":\"one\"}}");
  }

  @Test
  @Order(5)
  void signalsOfManyBackendsAndReporters() throws Exception {
    flood(
        "/v1/signals",
        n ->
            "{\"subject\":%s,\"reporter\":\"%d%s\",\"utilization\":0.9}"
                .formatted(distinct("backend", n), n, "r".repeat(200)));
  }

  @Test
  @Order(6)
  void batchesOfDistinctSubjects() throws Exception {
    flood("/v1/check/batch", n -> batch(500, i -> distinct("key", n * 1_000 + i)));
    flood("/v1/check/batch", n -> batch(1_000, i -> "{\"key\":\"%d-%d\"}".formatted(n, i)));
    flood("/v1/check/batch", n -> batch(20, i -> largest(n * 100 + i)));
  }

  private static String batch(int size, IntFunction<String> subjects) {
    var checks = new ArrayList<String>();
    for (int i = 0; i < size; i++) checks.add("{\"subject\":" + subjects.apply(i) + "}");
    return "{\"checks\":[" + String.join(",", checks) + "]}";
  }

  @Test
  @Order(7)
  void checksThatFillLogsAndTenants() throws Exception {
    flood("/v1/check", n -> "{\"subject\":" + distinct("log", n % 10) + ",\"cost\":1000}");
    flood("/v1/check", n -> "{\"subject\":{\"tenant\":\"t" + n + "\"}}");
  }

  @Test
  @Order(8)
  void usageOfDistinctSubjects() throws Exception {
    flood("/v1/usage", n -> "{\"subject\":" + largest(n) + ",\"cost\":1000000000000}");
  }

  @Test
  @Order(9)
  void peeksAndExplanationsOfDistinctSubjects() throws Exception {
    flood("/v1/peek", n -> "{\"subject\":" + largest(n) + "}");
    flood("/v1/explain", n -> "{\"subject\":" + largest(n) + "}");
  }

  @Test
  @Order(10)
  void forwardedRequestsOfDistinctCallers() throws Exception {
    flood(n ->
        request(
            "GET /v1/gate",
            "X-Headgate-Key: %d%s\r\nX-Original-URI: /%d%s\r\nX-Real-IP: 10.%d.%d.%d\r\n"
                .formatted(
                    n,
                    "k".repeat(2_000),
                    n,
                    "p".repeat(4_000),
                    n >> 16 & 255,
                    n >> 8 & 255,
                    n & 255),
            ""));
  }

  @Test
  @Order(11)
  void streamsThatAreNotRead() throws Exception {
    var streams = new ArrayList<Caller>();
    try {
      for (int i = 0; i < STREAMS; i++) {
        var stream = new Caller();
        streams.add(stream);
        stream.send(request("GET /v1/stream", "", ""));
      }
      flood("/v1/check", n -> "{\"subject\":" + distinct("key", n) + "}");
    } finally {
      for (var stream : streams) stream.close();
    }
  }

  @Test
  @Order(12)
  void whatIsLeftFitsIntoTheHeap() throws Exception {
    // Requests that are still being answered are no state.
    Eventually.holds("the live heap is bounded", PATIENCE, () -> liveBytes() < MAX_LIVE_BYTES);
    requireWorking();
  }

  /** Collects garbage, and returns the bytes of all objects that are left. */
  private static long liveBytes() throws IOException {
    var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    var process =
        new ProcessBuilder(jcmd, Long.toString(service.pid()), "GC.class_histogram")
            .redirectErrorStream(true)
            .start();
    var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    var total = TOTAL.matcher(text);
    assertThat(total.find()).as(text).isTrue();
    return Long.parseLong(total.group(1));
  }
}
