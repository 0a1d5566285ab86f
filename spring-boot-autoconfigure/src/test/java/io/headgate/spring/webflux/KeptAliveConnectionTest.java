package io.headgate.spring.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.http.CheckListener;
import io.headgate.http.HeldSlots;
import io.headgate.http.RequestChecker;
import io.headgate.limit.Deny;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.server.WebHandler;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServer;

/**
 * Sends requests one after the other over one connection to Reactor Netty. Up to version 1.3.7 it
 * stops reading a connection if one response is written by another thread and the next one at once
 * (reactor-netty #4361).
 */
class KeptAliveConnectionTest {
  private static final int REQUESTS = 2_000;

  /** Answers 204: at once, or on a thread that does not belong to the server. */
  private static WebHandler handler(boolean elsewhere) {
    return exchange -> {
      exchange.getResponse().setStatusCode(HttpStatus.NO_CONTENT);
      var done = exchange.getResponse().setComplete();
      return elsewhere ? Mono.just(1).publishOn(Schedulers.parallel()).then(done) : done;
    };
  }

  /** Paths that begin with {@code /denied} are denied. */
  private static RateLimiter limiter() {
    return RateLimiter.inMemory(
        Rule.named("all").match("path", "/*").limit(FixedWindow.of(Rate.perDay(1_000_000))).build(),
        Rule.named("none").match("path", "/denied*").limit(new Deny()).build());
  }

  private static void assertAllAnswered(RequestChecker checker, WebHandler handler, String... paths)
      throws IOException {
    var filter =
        new HeadgateWebFilter(
            checker,
            exchange ->
                Mono.just(Request.of(Subject.of("path", exchange.getRequest().getPath().value())))
                    .filter(request -> !exchange.getRequest().getPath().value().equals("/free")),
            true,
            0);
    var adapter =
        new ReactorHttpHandlerAdapter(
            WebHttpHandlerBuilder.webHandler(handler).filter(filter).build());
    var server = HttpServer.create().host("127.0.0.1").port(0).handle(adapter).bindNow();
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(20_000);
      socket.setTcpNoDelay(true);
      var in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
      for (int i = 0; i < REQUESTS; i++) {
        var path = paths[i % paths.length];
        var request = "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        var expected = path.startsWith("/denied") ? "403" : "204";
        assertThat(readStatus(in)).as("request %d, %s", i, path).isEqualTo(expected);
      }
    } finally {
      server.disposeNow();
    }
  }

  private static String readStatus(BufferedReader in) throws IOException {
    var status = in.readLine().split(" ", 3)[1];
    int length = 0;
    for (var line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
      if (line.regionMatches(true, 0, "Content-Length: ", 0, 16)) {
        length = Integer.parseInt(line.substring(16));
      }
    }
    for (int i = 0; i < length; i++) assertThat(in.read()).isNotNegative();
    return status;
  }

  @Test
  void denialsAmongResponsesOfOtherThreadsDoNotStopTheConnection() throws IOException {
    try (var limiter = limiter()) {
      var checker = RequestChecker.of(limiter, Duration.ZERO, CheckListener.NONE);
      assertAllAnswered(checker, handler(true), "/a", "/denied");
    }
  }

  @Test
  void denialsAmongImmediateResponsesDoNotStopTheConnection() throws IOException {
    try (var limiter = limiter()) {
      var checker = RequestChecker.of(limiter, Duration.ZERO, CheckListener.NONE);
      assertAllAnswered(checker, handler(false), "/a", "/denied", "/free");
    }
  }

  @Test
  void resultsThatAreKnownAtOnceAndLaterDoNotStopTheConnection() throws IOException {
    try (var limiter = limiter()) {
      var checker = new RemoteChecker(limiter);
      assertAllAnswered(checker, handler(false), "/a", "/denied", "/b", "/free");
    }
  }

  /** Decides in turns at once and on another thread, as a store in the network does. */
  private static final class RemoteChecker implements RequestChecker {
    private final RequestChecker decider;
    private final AtomicInteger turn = new AtomicInteger();

    RemoteChecker(RateLimiter limiter) {
      this.decider = RequestChecker.of(limiter, Duration.ZERO, CheckListener.NONE);
    }

    @Override
    public boolean isRemote() {
      return true;
    }

    @Override
    public CheckResult check(Request request) {
      return decider.check(request);
    }

    @Override
    public CompletionStage<CheckResult> checkAsync(Request request) {
      return turn.getAndIncrement() % 2 == 0
          ? CompletableFuture.completedFuture(check(request))
          : CompletableFuture.supplyAsync(() -> check(request));
    }

    @Override
    public @Nullable HeldSlots slots(CheckResult result) {
      return decider.slots(result);
    }
  }
}
