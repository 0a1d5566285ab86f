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
  void noMoreThanTwoRunAtOnceAndAPlaceIsFreeAgainAfterwards() throws Exception {
    var trials = new SimulationExecutor(nothing);
    var go = new CountDownLatch(1);
    var first = trials.start(patience -> held(go));
    var second = trials.start(patience -> held(go));
    assertThatThrownBy(() -> trials.start(patience -> new JsonWriter()))
        .isInstanceOfSatisfying(
            ProblemException.class,
            refusal -> {
              assertThat(refusal.problem().status()).isEqualTo(503);
              assertThat(refusal.problem().headers()).containsEntry("Retry-After", "1");
            });
    go.countDown();
    first.get(20, TimeUnit.SECONDS);
    second.get(20, TimeUnit.SECONDS);
    assertThat(trials.start(patience -> new JsonWriter().begin().end()).get(20, TimeUnit.SECONDS))
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
  void oneThatTakesTooLongIsEndedAndLeavesItsPlace() {
    var trials = new SimulationExecutor(nothing, Duration.ZERO);
    for (int i = 0; i < 3; i++) {
      var endless = trials.start(SimulationExecutorTest::endless);
      assertThatThrownBy(endless::join)
          .isInstanceOf(CompletionException.class)
          .hasMessageContaining("the trial took longer than 0 seconds; try fewer");
    }
  }

  @Test
  void whereNoThreadCanBeHadThePlaceIsFreeAgain() throws Exception {
    var trouble = new AtomicInteger(3);
    var trials =
        new SimulationExecutor(
            nothing,
            SimulationExecutor.LONGEST,
            work -> {
              if (trouble.getAndDecrement() > 0) throw new OutOfMemoryError("no more threads");
              work.run();
            });
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> trials.start(patience -> new JsonWriter()))
          .isInstanceOf(OutOfMemoryError.class);
    }
    assertThat(trials.start(patience -> new JsonWriter().begin().end()).get(20, TimeUnit.SECONDS))
        .hasToString("{}");
  }

  private static JsonWriter endless(Deadline patience) {
    for (long i = 0; ; i++) patience.check(i);
  }
}
