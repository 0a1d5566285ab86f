package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Costs;
import io.headgate.RateLimiter;
import io.headgate.Reservation;
import io.headgate.ReservationState.Settled;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.redis.RedisSentinelGroup;
import io.headgate.testkit.redis.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reservations of five processes, some of which are killed, and of one that loses its primary. */
class ReservationProcessesTest {
  private static final int PROCESSES = 5;
  private static final int KILLED = 2;
  private static final Duration TTL = Duration.ofSeconds(20);
  private static final Duration WAIT = Duration.ofSeconds(60);

  /** A process with its input and output. */
  private record Instance(Process process, PrintStream in, BufferedReader out) {
    static Instance start(String uri) throws IOException {
      var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
      var process =
          new ProcessBuilder(
                  java,
                  "-Xmx96m",
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-cp",
                  System.getProperty("java.class.path"),
                  ReservingInstance.class.getName(),
                  uri,
                  Long.toString(TTL.toSeconds()))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      var in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
      return new Instance(process, in, process.inputReader(StandardCharsets.UTF_8));
    }

    long number() throws IOException {
      return Long.parseLong(out.readLine());
    }
  }

  @Test
  void tenThousandReservationsOfFiveProcessesAreExact() throws Exception {
    var instances = new ArrayList<Instance>();
    try (var redis = RedisServer.start();
        var observer = ReservingInstance.limiter(redis.uri(), TTL)) {
      try {
        for (int i = 0; i < PROCESSES; i++) instances.add(Instance.start(redis.uri()));
        for (var instance : instances) {
          assertThat(instance.out.readLine()).isEqualTo(ReservingInstance.READY);
        }
        for (var instance : instances) instance.in.println("reserve");
        var admitted = new ArrayList<Long>();
        for (var instance : instances) admitted.add(instance.number());
        assertThat(admitted.stream().mapToLong(Long::longValue).sum())
            .as("admitted out of %d", PROCESSES * ReservingInstance.RESERVATIONS)
            .isEqualTo(ReservingInstance.LIMIT);
        assertThat(left(observer)).isZero();

        // A reservation that is not listed yet when its instance dies stays charged as reserved.
        Eventually.holds(
            "all are listed",
            WAIT,
            () -> {
              observer.reservations().expireDue().toCompletableFuture().join();
              return observer.reservations().openCount() == ReservingInstance.LIMIT;
            });
        for (var killed : instances.subList(0, KILLED)) killed.process.destroyForcibly();
        var others = instances.subList(KILLED, PROCESSES);
        for (var instance : others) instance.in.println("settle");
        long charged = 0;
        for (var instance : others) charged += instance.number();
        long used = charged;
        // Clients of the killed instances have reported no usage.
        Eventually.holds(
            "the others expire", WAIT, () -> left(observer) == ReservingInstance.LIMIT - used);
        long expected = 0;
        for (long each : admitted.subList(KILLED, PROCESSES)) expected += each / 2;
        assertThat(charged).isEqualTo(expected);
      } finally {
        for (var instance : instances) instance.process.destroyForcibly().waitFor();
      }
    }
  }

  /**
   * Only writes that the promoted replica has not received are lost. The last two reservations are
   * made while it is disconnected: usage exceeds the limit at most by their permits.
   */
  @Test
  void reservationsOutliveTheLossOfThePrimary() {
    try (var group = RedisSentinelGroup.start();
        var limiter = ReservingInstance.limiter(group.uri(), Duration.ofMinutes(5))) {
      var made = new ArrayList<Reservation>();
      for (int i = 0; i < 10; i++) made.add(limiter.reserve(ReservingInstance.tokens(500)));
      made.getFirst().update(Costs.of("tokens", 120));
      assertThat(charged(made.get(1), 50)).isEqualTo(50);
      assertThat(group.primary().call("WAIT", "1", "10000").number()).isEqualTo(1);
      group.primary().call("CLIENT", "KILL", "TYPE", "replica");
      for (int i = 0; i < 2; i++) made.add(limiter.reserve(ReservingInstance.tokens(500)));
      group.killPrimary();
      group.awaitFailover();
      Eventually.holds("the promoted server decides", WAIT, () -> isSettled(made.getFirst(), 130));
      assertThat(charged(made.getFirst(), 130)).isEqualTo(130);
      assertThat(charged(made.get(1), 400)).as("settled before the loss").isEqualTo(50);
      for (var one : made.subList(2, 10)) assertThat(charged(one, 450)).isEqualTo(450);
      long used = 130 + 50 + 8 * 450;
      assertThat(left(limiter))
          .isBetween(
              ReservingInstance.LIMIT - used - 2 * 500, (long) ReservingInstance.LIMIT - used);
      for (var perhapsLost : made.subList(10, 12)) charged(perhapsLost, 100);
      used += 2 * 100;
      assertThat(left(limiter))
          .isBetween(ReservingInstance.LIMIT - used, ReservingInstance.LIMIT - used + 2 * 500);
    }
  }

  private static boolean isSettled(Reservation reservation, long actual) {
    try {
      return charged(reservation, actual) == actual;
    } catch (io.headgate.store.StoreException e) {
      return false; // repeated, as a client does
    }
  }

  private static long charged(Reservation reservation, long actual) {
    var state = (Settled) reservation.settle(Costs.of("tokens", actual));
    return List.copyOf(state.limits()).getFirst().charged();
  }

  private static long left(RateLimiter limiter) {
    return limiter.peek(ReservingInstance.tokens(1)).limits().getFirst().remaining();
  }
}
