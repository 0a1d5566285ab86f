package io.headgate.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.load.ShedState.Report;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

class ShedControllerProperties {
  private static final Setpoint SETPOINT = Setpoint.of(SignalKind.UTILIZATION, 0.8);

  /** Any doubles, including NaN and infinities, keep the state within its bounds. */
  @Property(tries = 300)
  void hostileReportsKeepTheStateWithinBounds(
      @ForAll @Size(max = 200) List<Long> bits,
      @ForAll @IntRange(min = 1, max = 100) int reporters) {
    var state = ShedState.FRESH;
    long now = 1_000_000_000;
    for (int i = 0; i + 2 < bits.size(); i += 3) {
      double value = Double.longBitsToDouble(bits.get(i));
      double weight = Double.longBitsToDouble(bits.get(i + 1));
      now += Math.floorMod(bits.get(i + 2), 20_000_000);
      state =
          ShedController.report(
              SETPOINT, state, now, Math.floorMod(bits.get(i), reporters), value, weight, 1);
      assertThat(state.drop()).isBetween(ShedController.MIN_DROP, ShedController.MAX_DROP);
      assertThat(state.error()).isBetween(-1.0, 1.0);
      assertThat(state.trend()).isBetween(-1.0, 1.0);
      assertThat(state.reporters().size()).isLessThanOrEqualTo(ShedController.MAX_REPORTERS);
      assertThat(ShedController.level(state, now)).isBetween(0.0, ShedController.MAX_DROP);
      assertThat(ShedController.level(state, now + 15_000_000)).isZero();
    }
  }

  @Property(tries = 500)
  void oneReportCannotMoveTheMeanOutsideTheRangeOfTheOthers(
      @ForAll @Size(min = 2, max = 20) List<@DoubleRange(max = 1) Double> honest,
      @ForAll @DoubleRange(max = 1) double lie,
      @ForAll @DoubleRange(min = 0.01, max = 1e6) double weight) {
    var reports = new ArrayList<Report>();
    for (var value : honest) reports.add(new Report(reports.size(), value, 1, 0));
    reports.add(new Report(99, lie, weight, 0));
    double lowest = honest.stream().mapToDouble(d -> d).min().orElseThrow();
    double highest = honest.stream().mapToDouble(d -> d).max().orElseThrow();
    assertThat(ShedController.combined(reports)).isBetween(lowest - 1e-12, highest + 1e-12);
  }

  @Property(tries = 500)
  void levelNeverRisesWithoutAReport(
      @ForAll @DoubleRange(min = -0.2, max = 0.95) double drop,
      @ForAll @LongRange(max = 20_000_000) long earlier,
      @ForAll @LongRange(max = 20_000_000) long pause) {
    assertThat(ShedController.level(drop, 0, earlier + pause))
        .isLessThanOrEqualTo(ShedController.level(drop, 0, earlier));
  }

  /** The oracle sorts single requests by priority and drops them one by one from the end. */
  @Property(tries = 500)
  void sharesDropTheLowestPrioritiesFirst(
      @ForAll @Size(min = 1, max = 5) List<@IntRange(max = 50) Integer> heavy,
      @ForAll @Size(value = 5) List<@IntRange(max = 50) Integer> other,
      @ForAll @DoubleRange(max = 1) double level) {
    int count = heavy.size();
    var heavyRate = new double[count];
    var otherRate = new double[count];
    double total = 0;
    for (int i = 0; i < count; i++) {
      heavyRate[i] = heavy.get(i);
      otherRate[i] = other.get(i);
      total += heavyRate[i] + otherRate[i];
    }
    var shares = DropShares.of(level, heavyRate, otherRate, new double[count], 100);
    double dropped = 0;
    for (int i = 0; i < count; i++) {
      dropped += heavyRate[i] * shares.of(i, true) + otherRate[i] * shares.of(i, false);
      assertThat(shares.of(i, true)).isBetween(0.0, 1.0);
      if (shares.of(i, false) > 0) assertThat(shares.of(i, true)).isEqualTo(1);
      for (int lower = i + 1; shares.of(i, true) > 0 && lower < count; lower++) {
        assertThat(shares.of(lower, true)).isGreaterThan(1 - 1e-9);
        assertThat(shares.of(lower, false)).isGreaterThan(1 - 1e-9);
      }
    }
    assertThat(dropped).isBetween(level * total - 1e-6, level * total + 1e-6);
  }

  @Property(tries = 500)
  void guaranteedShareOfTheCapacityIsNeverDropped(
      @ForAll @Size(value = 3) List<@IntRange(max = 1000) Integer> rates,
      @ForAll @DoubleRange(max = 1) double level,
      @ForAll @DoubleRange(max = 1) double guarantee,
      @ForAll @DoubleRange(max = 1000) double capacity) {
    var other = rates.stream().mapToDouble(rate -> rate).toArray();
    var shares =
        DropShares.of(level, new double[3], other, new double[] {guarantee, 0, 0}, capacity);
    double admitted = other[0] * (1 - shares.of(0));
    assertThat(admitted).isGreaterThanOrEqualTo(Math.min(other[0], guarantee * capacity) - 1e-6);
  }
}
