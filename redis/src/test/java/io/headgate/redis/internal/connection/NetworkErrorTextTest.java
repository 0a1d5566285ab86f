package io.headgate.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.redis.RedisStore;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FreePorts;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NetworkErrorTextTest {
  private static final String SERVER = "10.0.0.5:6379";

  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(
            new ConnectException("finishConnect(..) failed with error(-111): Connection refused"),
            "the connection was refused"),
        Arguments.of(
            new ConnectException("Connection refused: getsockopt: /10.0.0.5:6379"),
            "the connection was refused"),
        Arguments.of(
            new UnknownHostException("Failed to resolve 'db' [A(1)] after 2 queries")
                .initCause(new IOException("Query failed with NXDOMAIN")),
            "the host name can't be resolved"),
        Arguments.of(
            new ConnectTimeoutException("connection timed out after 1000 ms: /10.0.0.5:6379"),
            "the attempt to connect timed out"),
        Arguments.of(
            new NoRouteToHostException("finishConnect(..) failed with error(-113): No route"),
            "there is no route to the host"),
        Arguments.of(
            new RedisCommandTimeoutException("Connection initialization timed out"),
            "it accepted the connection and did not answer"),
        Arguments.of(
            new ConnectException("connect(..) failed with error(-101): Network is unreachable"),
            "Network is unreachable"),
        Arguments.of(
            new IOException("recvAddress(..) failed with error(-104): Connection reset by peer"),
            "Connection reset by peer"),
        Arguments.of(
            new IOException("syscall:read(..) failed: Connection reset by peer"),
            "Connection reset by peer"),
        Arguments.of(new IOException("WRONGPASS invalid password"), "WRONGPASS invalid password"),
        Arguments.of(new IOException(), "IOException"));
  }

  /** Lettuce wraps the failure, and so do the stages of an asynchronous call. */
  @ParameterizedTest
  @MethodSource("failures")
  void failureIsDescribedInWords(Throwable failure, String expected) {
    var wrapped =
        new CompletionException(
            new RedisConnectionException("Unable to connect to /" + SERVER, failure));
    assertThat(LettuceErrors.toStoreException(wrapped, SERVER))
        .hasMessage("no connection to Redis at %s: %s".formatted(SERVER, expected));
  }

  @Test
  void unavailableServerIsReportedInWords() {
    int port = FreePorts.find(1).getFirst();
    try (var store = RedisStore.connect("redis://127.0.0.1:" + port)) {
      var rule = Rule.named("r").limit(FixedWindow.of(Rate.perMinute(1))).build();
      var limiter = RateLimiter.with(store, RuleSet.of(rule));
      Eventually.holds(
          "the refused connection is reported",
          Duration.ofSeconds(20),
          () -> {
            limiter.check(Subject.of("user:42"));
            return store
                .lastProblem()
                .filter(problem -> problem.endsWith("the connection was refused"))
                .isPresent();
          });
    }
  }
}
