package io.headgate.server.cli.output;

import io.headgate.server.simulation.Comparison;
import io.headgate.server.simulation.Timeline;
import java.util.Arrays;
import java.util.Locale;

/** Requests and denials over time, as SVG: with the digits that it knows, in any language. */
final class TimelineSvg {
  private static final int WIDTH = 960;
  private static final int HEIGHT = 240;
  private static final int LEFT = 60;
  private static final int BOTTOM = 20;

  static String of(Timeline timeline, boolean compares) {
    long[] offered = timeline.counts(Comparison.OFFERED);
    long[] denied = timeline.counts(Comparison.DENIED_AFTER);
    long most = Math.max(1, Arrays.stream(offered).max().orElse(1));
    double width = (double) (WIDTH - LEFT) / Math.max(1, offered.length);
    var out = new StringBuilder();
    out.append(
        String.format(
            Locale.ROOT,
            "<svg class=\"time\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"requests and denials over time\">\n",
            WIDTH,
            HEIGHT));
    bars(out, "offered", offered, most, width);
    bars(out, "denied", denied, most, width);
    if (compares) line(out, timeline.counts(Comparison.DENIED_BEFORE), most, width);
    axes(out, timeline, offered.length, most);
    return out.append("</svg>\n").toString();
  }

  private static void bars(StringBuilder out, String name, long[] counts, long most, double width) {
    out.append("<path class=\"").append(name).append("\" d=\"");
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] == 0) continue;
      out.append(
          String.format(
              Locale.ROOT,
              "M%s %dv-%sh%sv%sz",
              number(LEFT + i * width),
              HEIGHT - BOTTOM,
              number(height(counts[i], most)),
              number(width),
              number(height(counts[i], most))));
    }
    out.append("\"/>\n");
  }

  private static void line(StringBuilder out, long[] counts, long most, double width) {
    out.append("<polyline class=\"before\" points=\"");
    for (int i = 0; i < counts.length; i++) {
      out.append(number(LEFT + (i + 0.5) * width)).append(',');
      out.append(number(HEIGHT - BOTTOM - height(counts[i], most))).append(' ');
    }
    out.append("\"/>\n");
  }

  private static void axes(StringBuilder out, Timeline timeline, int steps, long most) {
    int foot = HEIGHT - BOTTOM;
    out.append(
        String.format(Locale.ROOT, "<path class=\"axis\" d=\"M%d %dH%d\"/>", LEFT, foot, WIDTH));
    out.append(
        String.format(
            Locale.ROOT, "<text x=\"%d\" y=\"14\" text-anchor=\"end\">%,d</text>", LEFT - 6, most));
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

  private static double height(long count, long most) {
    return (HEIGHT - BOTTOM - 10.0) * count / most;
  }

  /** With a point whatever the language of the machine, and as short as it is exact enough. */
  static String number(double value) {
    String text = String.format(Locale.ROOT, "%.2f", value);
    return text.endsWith(".00") ? text.substring(0, text.length() - 3) : text;
  }

  private TimelineSvg() {}
}
