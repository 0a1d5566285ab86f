package io.headgate.server.cli.output;

import io.headgate.server.simulation.Comparison;
import io.headgate.server.simulation.Timeline;
import java.util.Arrays;
import java.util.Locale;

/** Renders requests and denials over time as SVG, with ASCII digits in every locale. */
final class TimelineSvg {
  private static final int WIDTH = 960;
  private static final int HEIGHT = 240;
  private static final int LEFT = 60;
  private static final int BOTTOM = 20;

  static String of(Timeline timeline, boolean compares) {
    long[] offered = timeline.counts(Comparison.OFFERED);
    long[] denied = timeline.counts(Comparison.DENIED_AFTER);
    long max = Math.max(1, Arrays.stream(offered).max().orElse(1));
    double width = (double) (WIDTH - LEFT) / Math.max(1, offered.length);
    var out = new StringBuilder();
    out.append(
        String.format(
            Locale.ROOT,
            "<svg class=\"time\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"requests and denials over time\">\n",
            WIDTH,
            HEIGHT));
    bars(out, "offered", offered, max, width);
    bars(out, "denied", denied, max, width);
    if (compares) line(out, timeline.counts(Comparison.DENIED_BEFORE), max, width);
    axes(out, timeline, offered.length, max);
    return out.append("</svg>\n").toString();
  }

  private static void bars(StringBuilder out, String name, long[] counts, long max, double width) {
    out.append("<path class=\"").append(name).append("\" d=\"");
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] == 0) continue;
      out.append(
          String.format(
              Locale.ROOT,
              "M%s %dv-%sh%sv%sz",
              number(LEFT + i * width),
              HEIGHT - BOTTOM,
              number(height(counts[i], max)),
              number(width),
              number(height(counts[i], max))));
    }
    out.append("\"/>\n");
  }

  private static void line(StringBuilder out, long[] counts, long max, double width) {
    out.append("<polyline class=\"before\" points=\"");
    for (int i = 0; i < counts.length; i++) {
      out.append(number(LEFT + (i + 0.5) * width)).append(',');
      out.append(number(HEIGHT - BOTTOM - height(counts[i], max))).append(' ');
    }
    out.append("\"/>\n");
  }

  private static void axes(StringBuilder out, Timeline timeline, int steps, long max) {
    int foot = HEIGHT - BOTTOM;
    out.append(
        String.format(Locale.ROOT, "<path class=\"axis\" d=\"M%d %dH%d\"/>", LEFT, foot, WIDTH));
    out.append(
        String.format(
            Locale.ROOT, "<text x=\"%d\" y=\"14\" text-anchor=\"end\">%,d</text>", LEFT - 6, max));
    out.append(
        String.format(
            Locale.ROOT, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>", LEFT - 6, foot));
    long from = timeline.fromMillis() * 1_000;
    long to = from + steps * timeline.stepMillis() * 1_000;
    out.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%d\" y=\"%d\">%s</text>",
            LEFT,
            HEIGHT - 4,
            Timestamps.text(from)));
    out.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
            WIDTH,
            HEIGHT - 4,
            Timestamps.text(to)));
  }

  private static double height(long count, long max) {
    return (HEIGHT - BOTTOM - 10.0) * count / max;
  }

  /** Formats a number with at most two decimals and a decimal point in every locale. */
  static String number(double value) {
    String text = String.format(Locale.ROOT, "%.2f", value);
    return text.endsWith(".00") ? text.substring(0, text.length() - 3) : text;
  }

  private TimelineSvg() {}
}
