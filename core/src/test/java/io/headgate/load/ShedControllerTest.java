package io.headgate.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ShedControllerTest {
  private static final Setpoint SETPOINT = Setpoint.of(SignalKind.UTILIZATION, 0.8);
  private static final long SECOND = 1_000_000;
  private static final long START = 1_767_225_600_000_000L;

  private ShedState state = ShedState.FRESH;
  private long now = START;

  private void report(double utilization) {
    report(1, utilization, 1);
  }

  private void report(long reporter, double utilization, double weight) {
    state = ShedController.report(SETPOINT, state, now, reporter, utilization, weight, 7);
  }

  private void reportEverySecond(int seconds, double utilization) {
    for (int i = 0; i < seconds; i++) {
      now += SECOND;
      report(utilization);
    }
  }

  private double level() {
    return ShedController.level(state, now);
  }

  @Test
  void singleHighReportDropsNothing() {
    report(1.0);
    assertThat(level()).isZero();
    reportEverySecond(1, 0.1);
    assertThat(level()).isZero();
  }

  @Test
  void overloadRaisesTheLevelWithinSeconds() {
    reportEverySecond(60, 0.3);
    reportEverySecond(3, 1.0);
    assertThat(level()).isPositive();
    reportEverySecond(60, 1.0);
    assertThat(level()).isGreaterThan(0.9);
  }

  /** In Ruby, -28/120 is -1, so that the published shedder acts 120 s late. */
  @Test
  void restDelaysTheFirstDropByAFewSecondsHoweverLongItLasted() {
    reportEverySecond(3_600, 0.0);
    assertThat(state.drop()).isCloseTo(-0.2333, within(0.0001));
    reportEverySecond(6, 1.0);
    assertThat(level()).isPositive();
  }

  @Test
  void levelStaysAtTheTargetAndMovesSlowlyNearIt() {
    reportEverySecond(20, 1.0);
    reportEverySecond(20, 0.8); // the average of the excess ends
    double before = level();
    reportEverySecond(10, 0.8);
    assertThat(level()).isCloseTo(before, within(0.001));
    reportEverySecond(10, 0.78);
    assertThat(level()).isBetween(before - 0.05, before - 0.005);
  }

  /** A dead band below the target would keep the level here for ever. */
  @Test
  void levelOfABackendBelowItsTargetReturnsToZero() {
    reportEverySecond(15, 1.0);
    assertThat(level()).isGreaterThan(0.3);
    reportEverySecond(300, 0.75);
    assertThat(level()).isZero();
  }

  @Test
  void levelNeverDropsAllTrafficAndRecoversAtOnce() {
    reportEverySecond(3_600, 1.0);
    assertThat(level()).isEqualTo(ShedController.MAX_DROP);
    reportEverySecond(2, 0.0);
    assertThat(level()).isLessThan(ShedController.MAX_DROP);
    reportEverySecond(90, 0.0);
    assertThat(level()).isZero();
  }

  @Test
  void levelFadesToZeroWithinFifteenSecondsWithoutReports() {
    reportEverySecond(60, 1.0);
    double held = level();
    now += 5 * SECOND;
    assertThat(level()).isEqualTo(held);
    now += 5 * SECOND;
    assertThat(level()).isCloseTo(held / 2, within(1e-9));
    now += 5 * SECOND;
    assertThat(level()).isZero();
  }

  @Test
  void reportAfterSilenceContinuesFromTheFadedLevel() {
    reportEverySecond(60, 1.0);
    now += 10 * SECOND;
    double faded = level();
    report(0.75);
    assertThat(level()).isCloseTo(faded, within(1e-9));
  }

  @Test
  void valuesThatAreNoNumbersAreIgnoredAndHugeOnesBounded() {
    report(0.5);
    var before = state;
    for (double bad : new double[] {Double.NaN, -1, Double.POSITIVE_INFINITY, -0.0001}) {
      report(2, bad, 1);
      report(2, 0.5, bad);
    }
    assertThat(state).isEqualTo(before);
    report(1, 1e9, 1);
    assertThat(state.reporters().getFirst().value()).isEqualTo(1);
    assertThat(state.error()).isEqualTo(1);
  }

  @Test
  void oneLyingInstanceOfManyChangesNothing() {
    for (int second = 0; second < 600; second++) {
      now += SECOND;
      for (int i = 0; i < 9; i++) report(i, 0.75, 1);
      report(9, 1.0, 1e9);
      assertThat(level()).isZero();
    }
    for (int second = 0; second < 60; second++) {
      now += SECOND;
      for (int i = 0; i < 9; i++) report(i, 1.0, 1);
      report(9, 0.0, 1e9);
    }
    assertThat(level()).isGreaterThan(0.9);
  }

  @Test
  void instanceOfTwoWeighsAtMostTwiceTheOther() {
    report(1, 0.4, 1);
    report(2, 1.0, 1e9);
    assertThat(ShedController.combined(state.reporters())).isCloseTo(0.8, within(1e-9));
  }

  @Test
  void instanceThatNoLongerReportsDoesNotCount() {
    report(2, 1.0, 1);
    reportEverySecond(5, 0.4);
    assertThat(state.reporters()).hasSize(2);
    reportEverySecond(1, 0.4);
    assertThat(state.reporters()).hasSize(1);
  }

  /** A backend that reports rarely must not move the level by the whole pause. */
  @Test
  void pauseBetweenReportsCountsAsAtMostTwoSeconds() {
    reportEverySecond(20, 1.0);
    var before = state;
    now += 2 * SECOND;
    report(1.0);
    double afterTwo = state.drop();
    state = before;
    now += 2 * SECOND;
    report(1.0);
    assertThat(state.drop()).isEqualTo(afterTwo);
  }

  @Test
  void spikeOfASecondMovesTheLevelByLessThanATenthOfTheAdmittedShare() {
    reportEverySecond(15, 1.0);
    reportEverySecond(30, 0.8);
    double before = level();
    reportEverySecond(1, 1.0);
    assertThat(level() - before).isBetween(0.01, 0.1 * (1 - before));
  }

  @Test
  void reportAfterSilenceDoesNotContinueTheFormerTrend() {
    reportEverySecond(40, 1.0);
    now += 10 * SECOND;
    report(0.8);
    double faded = level();
    reportEverySecond(1, 0.8);
    assertThat(level()).isCloseTo(faded, within(1e-9));
  }

  @Test
  void tenThousandInstancesTakeTheSpaceOfSixtyFour() {
    for (int second = 0; second < 5; second++) {
      now += SECOND;
      for (int i = 0; i < 10_000; i++) report(i, 1.0, 1);
    }
    assertThat(state.reporters()).hasSize(ShedController.MAX_REPORTERS);
    assertThat(level()).isBetween(0.01, 0.3);
  }

  @Test
  void clockThatStepsBackChangesNothing() {
    reportEverySecond(30, 1.0);
    double before = state.drop();
    now -= 3_600 * SECOND;
    report(1.0);
    assertThat(state.drop()).isEqualTo(before);
    assertThat(level()).isEqualTo(before);
  }

  /** A backend of capacity 1 whose utilization follows the admitted load. */
  @Test
  void utilizationSettlesNearItsTargetAtThreeTimesTheCapacity() {
    double utilization = 0;
    double lowest = 1;
    for (int second = 0; second < 300; second++) {
      now += SECOND;
      report(utilization);
      utilization = Math.min(1, 3 * (1 - level()));
      if (second > 120) lowest = Math.min(lowest, utilization);
    }
    assertThat(utilization).isBetween(0.79, 0.81);
    assertThat(lowest).isGreaterThan(0.77);
  }

  /** A backend whose queue is the integral of the excess load, with reports of a second ago. */
  @Test
  void queueWaitSettlesAtItsTargetAtThreeTimesTheCapacity() {
    var setpoint = Setpoint.of(SignalKind.QUEUE_WAIT, 100);
    double queued = 0; // in seconds of work
    double wait = 0;
    double worked = 0;
    for (int second = 0; second < 600; second++) {
      now += SECOND;
      state = ShedController.report(setpoint, state, now, 1, wait, 1, 7);
      wait = 1_000 * queued;
      double work = queued + 3 * (1 - level());
      if (second >= 300) worked += Math.min(1, work);
      queued = Math.min(2, Math.max(0, work - 1));
    }
    assertThat(worked / 300).isGreaterThan(0.95);
  }

  @Test
  void excessIsAsPublishedForTheUtilizationShedder() {
    assertThat(ShedController.excess(SETPOINT, 0)).isEqualTo(-1);
    assertThat(ShedController.excess(SETPOINT, 0.35)).isCloseTo(-0.5, within(1e-12));
    assertThat(ShedController.excess(SETPOINT, 0.7)).isCloseTo(0, within(1e-12));
    assertThat(ShedController.excess(SETPOINT, 0.8)).isZero();
    assertThat(ShedController.excess(SETPOINT, 0.9)).isCloseTo(0.5, within(1e-12));
    assertThat(ShedController.excess(SETPOINT, 1)).isEqualTo(1);
  }

  @Test
  void signalsAreValidated() {
    assertThatThrownBy(() -> LoadSignal.ofUtilization(Double.NaN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("utilization must be a number of 0 or more, got NaN");
    assertThatThrownBy(() -> LoadSignal.NONE.withInFlight(-1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> LoadSignal.NONE.withCapacity(0))
        .hasMessageContaining("leave it out if it is unknown");
    assertThat(SignalKind.IN_FLIGHT.of(LoadSignal.NONE.withInFlight(12).withCapacity(16)))
        .hasValue(0.75);
    assertThat(SignalKind.IN_FLIGHT.of(LoadSignal.NONE.withInFlight(12))).isEmpty();
  }
}
