package io.headgate.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Figures of two commits. */
class ReportComparisonTest {
  private static String report(String store, String redis) {
    return """
    Some text | with a bar.

    ### One hot key

    | | ns | | threads |
    | --- | --: | --: | --: |
    | baseline | 20.1 ± 0.2 | 1.00× | 1 |
    | store | %s | 1.30× | 1 |
    | store | – | | 2 |

    ### State in Redis

    | | decisions a second | Redis CPU µs |
    | --- | --: | --: |
    | token bucket | %s | 4.5 |
    """
        .formatted(store, redis);
  }

  @Test
  void firstNumberOfEachCellIsRead() {
    var figures = ReportParser.parse(report("26 ± 3", "1,234,567 ± 5"));
    assertThat(figures)
        .containsEntry(new Figure("One hot key", 1, "baseline", "ns"), 20.1)
        .containsEntry(new Figure("One hot key", 1, "store", "ns"), 26.0)
        .containsEntry(new Figure("One hot key", 1, "store #2", "threads"), 2.0)
        .containsEntry(
            new Figure("State in Redis", 1, "token bucket", "decisions a second"), 1_234_567.0)
        .hasSize(7);
  }

  @Test
  void figureWhoseTurnsOverlapHasNotMoved() {
    assertThat(
            new FigureComparison(new double[] {10, 12, 14}, new double[] {13, 15, 17}).hasMoved())
        .isFalse();
  }

  @Test
  void separatedFigureHasMovedInEitherDirection() {
    assertThat(
            new FigureComparison(new double[] {10, 12, 11}, new double[] {13, 15, 17}).hasMoved())
        .isTrue();
    assertThat(
            new FigureComparison(new double[] {13, 15, 17}, new double[] {12, 10, 11}).hasMoved())
        .isTrue();
  }

  @Test
  void smallDifferenceIsNotReported() {
    assertThat(
            new FigureComparison(new double[] {100, 100.1, 100.2}, new double[] {102, 102.1, 102.2})
                .hasMoved())
        .isFalse();
  }

  @Test
  void onlyMovedFiguresArePrinted() {
    var base = List.of(report("26", "1,000"), report("27", "1,100"), report("25", "900"));
    var current = List.of(report("40", "1,010"), report("39", "1,200"), report("41", "950"));
    assertThat(new ReportComparison(base, current).markdown())
        .isEqualTo(
            """
            1 of 7 figures moved beyond noise.

            | figure | base | current | current ÷ base |
            | --- | --: | --: | --: |
            | One hot key, table 1: store, ns | 26.00 | 40.00 | 1.54 |
            """);
  }

  @Test
  void figuresOfOneCommitOnlyAreCounted() {
    var current = report("26", "1,000") + "| leaky bucket | 7 | 8 |\n";
    assertThat(new ReportComparison(List.of(report("26", "1,000")), List.of(current)).markdown())
        .isEqualTo("0 of 7 figures moved beyond noise; 2 are not in every report.\n");
  }

  @Test
  void missingReportsAreRefused() {
    assertThatThrownBy(() -> new ReportComparison(List.of(), List.of(report("1", "1"))))
        .hasMessage("a comparison needs a report of each commit");
  }
}
