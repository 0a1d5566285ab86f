package io.headgate.docs;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Draws the requests that each algorithm admits of the same traffic, at ten a second. */
final class AlgorithmsPicture {
  private static final Rate TEN_A_SECOND = Rate.perSecond(10);
  private static final long BIN = 50_000;
  private static final int LEFT = 190;
  private static final int WIDTH = 600;
  private static final int RIGHT = 190;
  private static final int ROW = 62;
  private static final int TOP = 56;
  private static final double UNIT = 10; // height of one request in a bin

  static List<Trial> trials() {
    var arrivals = SampleArrivals.arrivals();
    var trials = new ArrayList<Trial>();
    trials.add(new Trial("offered", arrivals, 0));
    trials.add(Trial.of("token bucket", TokenBucket.of(TEN_A_SECOND), arrivals));
    trials.add(
        Trial.of("leaky bucket, queue 10", LeakyBucket.of(TEN_A_SECOND).withQueue(10), arrivals));
    trials.add(Trial.of("leaky bucket, reject", LeakyBucket.of(TEN_A_SECOND), arrivals));
    trials.add(Trial.of("fixed window", FixedWindow.of(TEN_A_SECOND), arrivals));
    trials.add(Trial.of("sliding window", SlidingWindow.of(TEN_A_SECOND), arrivals));
    trials.add(
        Trial.of(
            "sliding, conservative",
            SlidingWindow.of(TEN_A_SECOND).withBound(SlidingWindow.Bound.CONSERVATIVE),
            arrivals));
    trials.add(Trial.of("rolling window", RollingWindow.of(TEN_A_SECOND), arrivals));
    return trials;
  }

  static String table() {
    var text = new StringBuilder();
    text.append("| at 10 a second | admitted | most in any second | longest delay |\n");
    text.append("|---|---:|---:|---:|\n");
    for (var trial : trials()) {
      text.append(
          "| %s | %d | %d | %d ms |\n"
              .formatted(
                  trial.name(),
                  trial.admitted().size(),
                  trial.maxInAnySecond(),
                  trial.maxDelay() / 1_000));
    }
    return text.toString();
  }

  static String svg() {
    var trials = trials();
    int height = TOP + ROW * trials.size() + 34;
    var svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" \
        aria-label="Requests that each algorithm admits of the same four seconds of traffic, at ten a second">
        <style>
        text { font: 13px system-ui, sans-serif; fill: #24292f }
        .small { font-size: 11px; fill: #57606a }
        .number { font-variant-numeric: tabular-nums; text-anchor: end }
        .offered { fill: #d0d7de } .over { fill: #d08700 } .fine { fill: #1b7f79 }
        .line { stroke: #d8dee4; stroke-width: 1 } .ground { fill: #ffffff }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3 } .small { fill: #9198a1 } .offered { fill: #3d444d }
          .over { fill: #e3b341 } .fine { fill: #3fb8b0 } .line { stroke: #30363d } .ground { fill: #0d1117 }
        }
        </style>
        <rect class="ground" width="100%%" height="100%%"/>
        """
            .formatted(LEFT + WIDTH + RIGHT, height));
    head(svg, trials.size());
    for (int i = 0; i < trials.size(); i++) row(svg, trials.getFirst(), trials.get(i), i);
    svg.append("</svg>\n");
    return svg.toString();
  }

  private static void head(StringBuilder svg, int rows) {
    legend(svg, LEFT, "offered", "offered");
    legend(svg, LEFT + 100, "fine", "admitted, never over 10 in any second");
    legend(svg, LEFT + 345, "over", "admitted, over 10 in some second");
    text(svg, "small number", LEFT + WIDTH + 76, TOP - 16, "admitted");
    text(svg, "small number", LEFT + WIDTH + 178, TOP - 16, "most in a second");
    for (long second = 0; second <= 4; second++) {
      double x = x(second * SampleArrivals.SECOND);
      svg.append(
          format(
              "<line class=\"line\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n",
              x, x, TOP - 8, TOP + ROW * rows));
      text(svg, "small", x - 8, TOP + ROW * rows + 18, second + " s");
    }
  }

  private static void legend(StringBuilder svg, int x, String kind, String text) {
    svg.append(
        format(
            "<rect class=\"%s\" x=\"%d\" y=\"9\" width=\"9\" height=\"9\" rx=\"1\"/>\n", kind, x));
    text(svg, "small", x + 15, 18, text);
  }

  private static void row(StringBuilder svg, Trial offered, Trial trial, int index) {
    int base = TOP + ROW * (index + 1) - 8;
    text(svg, "", 14, base - 16, trial.name());
    svg.append(
        format(
            "<line class=\"line\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n",
            LEFT, LEFT + WIDTH, base, base));
    bars(svg, offered, base, "offered");
    boolean over = trial.maxInAnySecond() > TEN_A_SECOND.permits();
    if (index > 0) bars(svg, trial, base, over ? "over" : "fine");
    text(svg, "number", LEFT + WIDTH + 76, base - 16, Integer.toString(trial.admitted().size()));
    text(svg, "number", LEFT + WIDTH + 178, base - 16, Integer.toString(trial.maxInAnySecond()));
  }

  private static void bars(StringBuilder svg, Trial trial, int base, String kind) {
    var counts = new int[(int) (SampleArrivals.END / BIN) + 1];
    for (long time : trial.admitted()) {
      if (time <= SampleArrivals.END) counts[(int) (time / BIN)]++;
    }
    for (int bin = 0; bin < counts.length; bin++) {
      if (counts[bin] == 0) continue;
      double tall = counts[bin] * UNIT;
      svg.append(
          format(
              "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"1\"/>\n",
              kind, x(bin * BIN) + 0.5, base - tall, x(BIN) - x(0) - 1, tall));
    }
  }

  private static double x(long micros) {
    return LEFT + (double) WIDTH * micros / SampleArrivals.END;
  }

  private static void text(StringBuilder svg, String kind, double x, int y, String text) {
    svg.append(format("<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>\n", kind, x, y, text));
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }

  private AlgorithmsPicture() {}
}
