package io.headgate.server.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.anomaly.MadeTraffic.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * How well anomalies are found, on made traffic: the table in {@code docs/anomalies.md}. To write
 * it anew: {@code mvn -pl server -am test -Dtest=AnomaliesPageTest -Dheadgate.docs.record=true}
 */
class AnomaliesPageTest {
  private static final Path PAGE = Path.of("..", "docs", "anomalies.md");
  private static final String BEGIN = "<!-- scores begin -->\n";
  private static final String END = "<!-- scores end -->";
  private static final int SEEDS = 3;

  /** Some kind of service. */
  private record Scene(String text, int days, int quietDays, boolean weekends, double base) {
    Scores scores() {
      var scores = new Scores();
      for (int seed = 1; seed <= SEEDS; seed++) {
        scores.run(new MadeTraffic(seed, days, quietDays, weekends, base));
      }
      return scores;
    }
  }

  private static final Scene USUAL = new Scene("200/s, after 2 days", 8, 2, false, 200);
  private static final Scene FIRST_DAY = new Scene("200/s, from the first hour", 1, 0, false, 200);
  private static final Scene SMALL = new Scene("10/s, after 2 days", 8, 2, false, 10);
  private static final Scene WEEKENDS = new Scene("200/s, half of it on weekends", 8, 2, true, 200);

  @Test
  void thePageSaysHowWellItDoesAndItDoesWell() throws IOException {
    var table = new StringBuilder();
    table.append("| traffic | precision | recall | false alarms a day |\n|---|---|---|---|\n");
    var usual = USUAL.scores();
    row(table, USUAL, usual);
    var first = FIRST_DAY.scores();
    row(table, FIRST_DAY, first);
    var small = SMALL.scores();
    row(table, SMALL, small);
    var weekends = WEEKENDS.scores();
    row(table, WEEKENDS, weekends);
    table.append("\n| fault (").append(USUAL.text).append(") | found | median | slowest |\n");
    table.append("|---|---|---|---|\n");
    for (var fault : Fault.values()) {
      table.append(
          String.format(
              Locale.ROOT,
              "| %s | %d of %d | %d s | %d s |%n",
              fault.text,
              usual.found(fault),
              usual.injected.getOrDefault(fault, 0),
              usual.percentile(fault, 0.5),
              usual.percentile(fault, 1)));
    }
    assertThat(usual.recall()).isGreaterThanOrEqualTo(0.95);
    assertThat(usual.precision()).as("%s", usual.made).isGreaterThanOrEqualTo(0.95);
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END);
    String made = page.substring(0, begin) + table + page.substring(end);
    if (Boolean.getBoolean("headgate.docs.record")) Files.writeString(PAGE, made);
    assertThat(Files.readString(PAGE)).as("made by this test").isEqualTo(made);
  }

  private static void row(StringBuilder table, Scene scene, Scores scores) {
    table.append(
        String.format(
            Locale.ROOT,
            "| %s | %.3f | %.3f | %.2f |%n",
            scene.text,
            scores.precision(),
            scores.recall(),
            scores.made.size() / (double) scores.days));
  }
}
