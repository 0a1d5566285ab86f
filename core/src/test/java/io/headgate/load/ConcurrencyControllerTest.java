package io.headgate.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the controller against an ideal server whose calls last 10 ms up to a number in flight, the
 * knee, and proportionally longer above it, while callers use the whole limit.
 */
class ConcurrencyControllerTest {
  private static final List<CallOutcome> OUTCOMES = List.of(CallOutcome.values());

  private static final double SERVICE = 10_000;

  private final ConcurrencyController controller = new ConcurrencyController(1, 1_000, 20);
  private final LiveController live = new LiveController(controller, controller.start());
  private double now = 1.7e15;

  @ParameterizedTest
  @ValueSource(ints = {2, 5, 16, 50, 200, 700})
  void limitSettlesAtTheKnee(int knee) {
    run(100_000, knee, SERVICE);
    assertThat(highest(5_000, knee, SERVICE))
        .isBetween(knee, (int) (knee + 2 * Math.sqrt(knee) + 3));
  }

  @ParameterizedTest
  @CsvSource({"16, 64", "64, 16", "200, 20", "20, 200"})
  void limitFollowsAChangedKnee(int before, int after) {
    run(100_000, before, SERVICE);
    run(100_000, after, SERVICE);
    assertThat(highest(5_000, after, SERVICE))
        .isBetween(after, (int) (after + 2 * Math.sqrt(after) + 3));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.3, 3, 10})
  void limitIsKeptIfEveryCallTakesLonger(double factor) {
    run(100_000, 16, SERVICE);
    run(100_000, 16, SERVICE * factor);
    assertThat(highest(5_000, 16, SERVICE * factor)).isBetween(16, 27);
  }

  @Test
  void callsThatAllTimeOutLowerTheLimitToItsMinimum() {
    run(100_000, 16, SERVICE);
    for (int i = 0; i < 1_000; i++) complete(1_000_000, CallOutcome.DROPPED);
    assertThat(live.limit()).isEqualTo(1);
    run(2_000, 16, SERVICE);
    assertThat(highest(500, 16, SERVICE)).isGreaterThanOrEqualTo(16); // and recovers
  }

  @Test
  void timeoutsAreNoBaseForTheLatency() {
    run(100_000, 16, SERVICE);
    for (int i = 0; i < 200; i++) complete(1_000_000, CallOutcome.DROPPED);
    run(100_000, 16, SERVICE);
    assertThat(highest(5_000, 16, SERVICE)).isBetween(16, 27);
  }

  @Test
  void steadyOverloadDoesNotRaiseTheLimit() {
    run(3_000_000, 16, SERVICE);
    assertThat(highest(100_000, 16, SERVICE)).isBetween(16, 27);
  }

  @Test
  void clockThatStepsBackDoesNotStopTheController() {
    run(100_000, 16, SERVICE);
    now -= 3_600e6;
    run(100_000, 64, SERVICE);
    assertThat(highest(5_000, 64, SERVICE)).isBetween(64, 83);
  }

  @Test
  void arrayOfAStateRestoresIt() {
    run(1_000, 16, SERVICE);
    var state = live.state();
    assertThat(state.toArray()).hasSize(ControllerState.SIZE);
    assertThat(ControllerState.of(state.toArray())).isEqualTo(state).hasSameHashCodeAs(state);
    assertThat(ControllerState.of(state.toArray())).isNotEqualTo(controller.start());
  }

  @Test
  void arrayThatIsNoStateIsRefused() {
    assertThatThrownBy(() -> ControllerState.of(new double[3])).hasMessageContaining("got 3");
    var values = controller.start().toArray();
    for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY, -1}) {
      var broken = values.clone();
      broken[5] = bad;
      assertThatThrownBy(() -> ControllerState.of(broken)).hasMessageContaining("got " + bad);
    }
    for (double bad : new double[] {0, -1, 1e6}) {
      var broken = values.clone();
      broken[0] = bad;
      assertThatThrownBy(() -> ControllerState.of(broken)).hasMessageContaining("got " + bad);
    }
  }

  @Test
  void stateOfOtherNumbersLeavesAValidState() {
    var values = new double[ControllerState.SIZE];
    for (double number : new double[] {0, 1e-9, 1, 1e9, 1e18}) {
      Arrays.fill(values, number);
      values[0] = 7;
      var state = ControllerState.of(values);
      for (int i = 0; i < 1_000; i++) {
        var sample = new CallSample(1_000, 7, OUTCOMES.get(i % 3));
        state = controller.completed(state, 1_700_000_000_000_000L + i * 1_000L, sample);
        assertThat(state.limit()).isBetween(1, 1_000);
      }
    }
  }

  @Test
  void boundsOutOfOrderAreRefused() {
    assertThatThrownBy(() -> new ConcurrencyController(0, 10, 5)).hasMessageContaining("min 0");
    assertThatThrownBy(() -> new ConcurrencyController(6, 10, 5)).hasMessageContaining("min 6");
    assertThatThrownBy(() -> new ConcurrencyController(1, 4, 5)).hasMessageContaining("max 4");
    assertThatThrownBy(() -> new ConcurrencyController(1, 1_000_000, 5))
        .hasMessageContaining("max 1000000");
    assertThat(ConcurrencyController.of(1, 10).initial()).isEqualTo(10);
    assertThat(ConcurrencyController.of(1, 500).initial()).isEqualTo(20);
    assertThat(ConcurrencyController.of(50, 500).initial()).isEqualTo(50);
  }

  @Test
  void samplesAreClamped() {
    assertThat(new CallSample(Long.MIN_VALUE, -5, CallOutcome.SUCCESS))
        .isEqualTo(new CallSample(0, 1, CallOutcome.SUCCESS));
    assertThat(new CallSample(Long.MAX_VALUE, Integer.MAX_VALUE, CallOutcome.DROPPED))
        .isEqualTo(new CallSample(3_600_000_000L, 100_000, CallOutcome.DROPPED));
  }

  private void run(int calls, int knee, double service) {
    for (int i = 0; i < calls; i++) {
      complete(service * Math.max(1, (double) live.limit() / knee), CallOutcome.SUCCESS);
    }
  }

  private int highest(int calls, int knee, double service) {
    int highest = 0;
    for (int i = 0; i < calls; i++) {
      run(1, knee, service);
      highest = Math.max(highest, live.limit());
    }
    return highest;
  }

  private void complete(double duration, CallOutcome outcome) {
    now += duration / live.limit();
    live.completed((long) now, new CallSample((long) duration, live.limit(), outcome));
  }
}
