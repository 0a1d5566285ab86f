package io.headgate.benchmarks;

import io.headgate.rule.Consistency;
import java.util.List;
import java.util.Locale;

/** Draws how far each consistency mode was from the exact algorithm, as SVG. */
final class AccuracyPicture {
  private static final int MARGIN = 60;
  private static final int LEFT = 250;
  private static final int WIDTH = 560;
  private static final int RIGHT = 130;
  private static final int TOP = 74;
  private static final int BAR = 13;
  private static final int GAP = 16;
  private static final double MAX_SHARE = 0.30; // of the limit, to either side

  static String svg(List<AccuracyResult> results) {
    int instances =
        results.stream()
            .mapToInt(result -> result.run().instances())
            .sorted()
            .toArray()[results.size() / 2];
    var shown = results.stream().filter(result -> result.run().instances() == instances).toList();
    int groups = (int) shown.stream().map(AccuracyPicture::group).distinct().count();
    int height = TOP + groups * GAP + shown.size() * BAR + 30;
    var svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="%d 0 %d %d" role="img" \
        aria-label="How much less or more than the limit each consistency mode admits">
        <style>
        text { font: 12px system-ui, sans-serif; fill: #24292f }
        .small { font-size: 11px; fill: #57606a }
        .end { text-anchor: end } .middle { text-anchor: middle }
        .strict { fill: #57606a } .leased { fill: #1b7f79 } .eventual { fill: #d08700 } .auto { fill: #5e7ce2 }
        .line { stroke: #d8dee4; stroke-width: 1 } .limit { stroke: #24292f; stroke-width: 1.5 }
        .bound { stroke: #cf222e; stroke-width: 2 } .ground { fill: #ffffff }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3 } .small { fill: #9198a1 } .strict { fill: #9198a1 } .leased { fill: #3fb8b0 }
          .eventual { fill: #e3b341 } .auto { fill: #8aa2f2 } .line { stroke: #30363d } .limit { stroke: #e6edf3 }
          .bound { stroke: #f85149 } .ground { fill: #0d1117 }
        }
        </style>
        <rect class="ground" x="%d" width="100%%" height="100%%"/>
        """
            .formatted(-MARGIN, MARGIN + LEFT + WIDTH + RIGHT, height, -MARGIN));
    head(svg, instances, height - 30);
    int y = TOP;
    String last = "";
    for (var result : shown) {
      if (!group(result).equals(last)) {
        y += GAP;
        last = group(result);
        text(svg, "end", LEFT - 70, y + BAR - 3, last);
      }
      bar(svg, result, y);
      y += BAR;
    }
    svg.append("</svg>\n");
    return svg.toString();
  }

  private static String group(AccuracyResult result) {
    return result.run().traffic().title + ", " + result.run().algorithm().title;
  }

  private static void head(StringBuilder svg, int instances, int bottom) {
    text(
        svg,
        "",
        14,
        20,
        "%d instances. Left: wrongly denied, as a share of what should pass. Right: the fullest window above its limit."
            .formatted(instances));
    line(svg, "bound", LEFT, 32, 44);
    text(svg, "small", LEFT + 6, 42, "bound of eventual; bars and marks end at 30%");
    for (int percent = -30; percent <= 30; percent += 10) {
      double x = x(percent / 100.0);
      line(svg, percent == 0 ? "limit" : "line", x, TOP - 8, bottom);
      text(
          svg,
          "small middle",
          x,
          TOP - 14,
          percent == 0 ? "the limit" : "%+d%%".formatted(percent));
    }
  }

  private static void bar(StringBuilder svg, AccuracyResult result, int y) {
    String mode = AccuracyReport.mode(result.run().consistency());
    text(svg, "small", LEFT - 62, y + BAR - 3, mode);
    double over = Math.max(0, result.fullest() - 1);
    double from = x(-result.underShare());
    double to = x(over);
    svg.append(
        format(
            "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"1\"/>\n",
            mode, from - 1, y + 2, to - from + 2, BAR - 4));
    if (result.run().consistency() == Consistency.EVENTUAL) {
      double bound = (double) result.bound() / result.run().limit().capacity();
      line(svg, "bound", x(bound), y + 1, y + BAR - 1);
    }
    text(
        svg,
        "small",
        LEFT + WIDTH + 12,
        y + BAR - 3,
        format("−%.1f%% / +%.1f%%", 100 * result.underShare(), 100 * over));
  }

  private static double x(double share) {
    return LEFT + WIDTH / 2.0 * (1 + Math.clamp(share / MAX_SHARE, -1, 1));
  }

  private static void line(StringBuilder svg, String kind, double x, int from, int to) {
    svg.append(
        format(
            "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n",
            kind, x, x, from, to));
  }

  private static void text(StringBuilder svg, String kind, double x, int y, String text) {
    svg.append(format("<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>\n", kind, x, y, text));
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }

  private AccuracyPicture() {}
}
