package io.headgate.benchmarks.adaptive;

import java.util.List;
import java.util.Locale;

/** Draws the number in flight over time on the plants whose conditions change, as SVG. */
final class AdaptivePicture {
  private static final List<String> SHOWN =
      List.of(
          "M/M/200",
          "thrashing",
          "service time ×3 at once",
          "step loss of capacity",
          "constant timeouts",
          "quiet, then overload");
  private static final List<Contender> LINES =
      List.of(Contender.GRADIENT2, Contender.VEGAS, Contender.HEADGATE);
  private static final int COLUMNS = 2;
  private static final int WIDTH = 400;
  private static final int HEIGHT = 150;
  private static final int GAP = 60;
  private static final int TOP = 70;
  private static final int POINTS = 200;

  static String svg(List<Evaluation> evaluations) {
    var shown = evaluations.stream().filter(each -> SHOWN.contains(each.plant().name())).toList();
    int rows = (shown.size() + COLUMNS - 1) / COLUMNS;
    int width = COLUMNS * (WIDTH + GAP) + GAP / 2;
    int height = TOP + rows * (HEIGHT + GAP);
    var svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" \
        aria-label="Requests in flight over time under Gradient2, Vegas and Headgate, on six plants">
        <style>
        text { font: 12px system-ui, sans-serif; fill: #24292f }
        .small { font-size: 11px; fill: #57606a } .end { text-anchor: end }
        .axis { stroke: #d8dee4; stroke-width: 1 } .ground { fill: #ffffff }
        .workers { stroke: #57606a; stroke-width: 1.5; stroke-dasharray: 4 3; fill: none }
        .gradient2 { stroke: #d08700 } .vegas { stroke: #5e7ce2 } .headgate { stroke: #1b7f79 }
        .run { stroke-width: 1.5; fill: none }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3 } .small { fill: #9198a1 } .axis { stroke: #30363d } .ground { fill: #0d1117 }
          .workers { stroke: #9198a1 } .gradient2 { stroke: #e3b341 } .vegas { stroke: #8aa2f2 }
          .headgate { stroke: #3fb8b0 }
        }
        </style>
        <rect class="ground" width="100%%" height="100%%"/>
        """
            .formatted(width, height));
    legend(svg);
    for (int i = 0; i < shown.size(); i++) {
      int x = GAP + i % COLUMNS * (WIDTH + GAP) - GAP / 4;
      int y = TOP + i / COLUMNS * (HEIGHT + GAP);
      panel(svg, shown.get(i), x, y);
    }
    return svg.append("</svg>\n").toString();
  }

  private static void legend(StringBuilder svg) {
    text(
        svg, "", 14, 20, "Requests in flight. Dashed: workers, at which throughput stops growing.");
    int x = 14;
    for (var contender : LINES) {
      line(svg, "run " + style(contender), x, 36, x + 24, 36);
      text(svg, "small", x + 30, 40, contender.title);
      x += 120;
    }
  }

  private static void panel(StringBuilder svg, Evaluation each, int x, int y) {
    var plant = each.plant();
    double top = 1.2 * plant.workers().at(0);
    for (var contender : LINES) {
      top = Math.max(top, 1.05 * highest(each.of(contender).inFlight()));
    }
    text(svg, "", x, y - 8, plant.name());
    line(svg, "axis", x, y + HEIGHT, x + WIDTH, y + HEIGHT);
    line(svg, "axis", x, y, x, y + HEIGHT);
    text(svg, "small end", x - 4, y + 10, format("%.0f", top));
    text(svg, "small end", x - 4, y + HEIGHT, "0");
    text(svg, "small end", x + WIDTH, y + HEIGHT + 14, format("%.0f s", plant.seconds()));
    var workers = new StringBuilder();
    for (int i = 0; i <= POINTS; i++) {
      double at = plant.workers().at(plant.seconds() * i / POINTS);
      point(workers, x + (double) WIDTH * i / POINTS, y + HEIGHT * (1 - at / top));
    }
    svg.append("<polyline class=\"workers\" points=\"").append(workers).append("\"/>\n");
    for (var contender : LINES) {
      var run = each.of(contender).inFlight();
      var points = new StringBuilder();
      for (int i = 0; i < POINTS; i++) {
        point(
            points, x + WIDTH * (i + 0.5) / POINTS, y + HEIGHT * (1 - mean(run, i, POINTS) / top));
      }
      svg.append(
          format(
              "<polyline class=\"run %s\" points=\"%s\"/>\n", style(contender), points.toString()));
    }
  }

  private static double highest(double[] run) {
    double highest = 0;
    for (int i = 0; i < POINTS; i++) highest = Math.max(highest, mean(run, i, POINTS));
    return highest;
  }

  /** Returns the mean of one of so many equal parts of the run. */
  private static double mean(double[] run, int part, int parts) {
    int from = run.length * part / parts;
    int to = Math.max(from + 1, Math.min(run.length - 1, run.length * (part + 1) / parts));
    double sum = 0;
    for (int i = from; i < to; i++) sum += run[i];
    return sum / (to - from);
  }

  private static void point(StringBuilder points, double x, double y) {
    points.append(format("%.1f,%.1f ", x, y));
  }

  private static String style(Contender contender) {
    return contender.name().toLowerCase(Locale.ROOT);
  }

  private static void line(StringBuilder svg, String kind, int x1, int y1, int x2, int y2) {
    svg.append(
        format(
            "<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n",
            kind, x1, y1, x2, y2));
  }

  private static void text(StringBuilder svg, String kind, int x, int y, String text) {
    svg.append(format("<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", kind, x, y, text));
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }

  private AdaptivePicture() {}
}
