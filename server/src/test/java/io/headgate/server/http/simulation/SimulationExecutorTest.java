package io.headgate.server.http.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemException;
import io.headgate.server.simulation.Deadline;
import io.headgate.server.simulation.RecentTraffic;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SimulationExecutorTest {
  private final RecentTraffic nothing = new RecentTraffic(1, () -> 0);

  @Test
  void atMostTwoSimulationsRunAtOnce() throws Exception {
    var simulations = new SimulationExecutor(nothing);
    var go = new CountDownLatch(1);
    var first = simulations.start(deadline -> held(go));
    var second = simulations.start(deadline -> held(go));
    assertThatThrownBy(() -> simulations.start(deadline -> new JsonWriter()))
        .isInstanceOfSatisfying(
            ProblemException.class,
            refusal -> {
              assertThat(refusal.problem().status()).isEqualTo(503);
              assertThat(refusal.problem().headers()).containsEntry("Retry-After", "1");
            });
    go.countDown();
    first.get(20, TimeUnit.SECONDS);
    second.get(20, TimeUnit.SECONDS);
    assertThat(
            simulations.start(deadline -> new JsonWriter().begin().end()).get(20, TimeUnit.SECONDS))
        .hasToString("{}");
  }

  private static JsonWriter held(CountDownLatch until) {
    try {
      assertThat(until.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return new JsonWriter();
  }

  @Test
  void tooLongSimulationIsEndedAndFreesItsPermit() {
    var simulations = new SimulationExecutor(nothing, Duration.ZERO);
    for (int i = 0; i < 3; i++) {
      var endless = simulations.start(SimulationExecutorTest::endless);
      assertThatThrownBy(endless::join)
          .isInstanceOf(CompletionException.class)
          .hasMessageContaining("the simulation took longer than 0 seconds; try fewer");
    }
  }

  @Test
  void failureToStartAThreadFreesThePermit() throws Exception {
    var failures = new AtomicInteger(3);
    var simulations =
        new SimulationExecutor(
            nothing,
            SimulationExecutor.MAX_DURATION,
            work -> {
              if (failures.getAndDecrement() > 0) throw new OutOfMemoryError("no more threads");
              work.run();
            });
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> simulations.start(deadline -> new JsonWriter()))
          .isInstanceOf(OutOfMemoryError.class);
    }
    assertThat(
            simulations.start(deadline -> new JsonWriter().begin().end()).get(20, TimeUnit.SECONDS))
        .hasToString("{}");
  }

  private static JsonWriter endless(Deadline deadline) {
    for (long i = 0; ; i++) deadline.check(i);
  }
}
