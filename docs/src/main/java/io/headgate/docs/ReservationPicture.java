package io.headgate.docs;

import io.headgate.Costs;
import io.headgate.RateLimiter;
import io.headgate.Reservation;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Draws two calls that reserve tokens of a limit of 10,000 a minute: the permits that are used,
 * held and free over time. The figures are those of a limiter that runs the calls.
 */
final class ReservationPicture {
  private static final long LIMIT = 10_000;
  private static final long SECOND = 1_000_000;
  private static final long START = 1_800_000_000L * SECOND; // the beginning of a minute
  private static final int SECONDS = 14;
  private static final int LEFT = 90;
  private static final int TOP = 50;
  private static final int WIDTH = 620;
  private static final int HEIGHT = 200;

  /** The permits after a step of a call. */
  private record Moment(int second, String call, String step, long used, long held) {}

  private ReservationPicture() {}

  /** Runs the calls in virtual time. */
  private static List<Moment> moments() {
    var clock = new long[] {START};
    var rule =
        Rule.named("tokens")
            .match("team", "*")
            .limit(RuleLimit.of("tokens", FixedWindow.of(Rate.perMinute(LIMIT))).withCost("tokens"))
            .build();
    var store = MemoryStore.create(() -> clock[0], 100);
    var moments = new ArrayList<Moment>();
    try (var limiter = RateLimiter.with(store, RuleSet.of(rule), () -> clock[0])) {
      moments.add(moment(limiter, 0, "", ""));
      clock[0] = START + SECOND;
      var a = reserve(limiter, 6_000);
      moments.add(moment(limiter, 1, "A", "reserves 6,000"));
      clock[0] = START + 3 * SECOND;
      var b = reserve(limiter, 5_000);
      if (b.isAllowed()) throw new IllegalStateException("B fits beside A");
      moments.add(moment(limiter, 3, "B", "5,000: denied"));
      clock[0] = START + 5 * SECOND;
      a.update(tokens(1_000));
      moments.add(moment(limiter, 5, "A", "has used 1,000"));
      clock[0] = START + 7 * SECOND;
      a.settle(tokens(1_500));
      moments.add(moment(limiter, 7, "A", "settles 1,500"));
      clock[0] = START + 8 * SECOND;
      b = reserve(limiter, 5_000);
      moments.add(moment(limiter, 8, "B", "reserves 5,000"));
      clock[0] = START + 12 * SECOND;
      b.settle(tokens(4_200));
      moments.add(moment(limiter, 12, "B", "settles 4,200"));
    }
    return moments;
  }

  private static Reservation reserve(RateLimiter limiter, long tokens) {
    return limiter.reserve(new Request(Subject.of("team", "a"), 1, Map.of("tokens", tokens)));
  }

  private static Costs tokens(long count) {
    return Costs.of("tokens", count);
  }

  private static Moment moment(RateLimiter limiter, int second, String call, String step) {
    var explanation = limiter.explain(Subject.of("team", "a")).getFirst();
    var limit = explanation.limits().getFirst();
    long held = explanation.held().stream().mapToLong(one -> one.permits()).sum();
    return new Moment(second, call, step, LIMIT - limit.remaining() - held, held);
  }

  static String svg() {
    var moments = moments();
    var svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" \
        aria-label="Used, held and free tokens of 10,000 while two calls reserve and settle">
        <style>
        text { font: 13px system-ui, sans-serif; fill: #24292f }
        .small { font-size: 11px; fill: #57606a } .end { text-anchor: end }
        .used { fill: #1b7f79 } .held { fill: #d08700 } .free { fill: #eaeef2 }
        .line { stroke: #8c959f; stroke-width: 1; stroke-dasharray: 2 3 } .ground { fill: #ffffff }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3 } .small { fill: #9198a1 } .free { fill: #21262d }
          .used { fill: #3fb8b0 } .held { fill: #e3b341 } .line { stroke: #656c76 } .ground { fill: #0d1117 }
        }
        </style>
        <rect class="ground" width="100%%" height="100%%"/>
        """
            .formatted(LEFT + WIDTH + 60, TOP + HEIGHT + 90));
    legend(svg, LEFT, "used", "used");
    legend(svg, LEFT + 80, "held", "held by open reservations");
    legend(svg, LEFT + 270, "free", "free");
    text(svg, "small end", LEFT - 8, TOP + 10, "10,000");
    text(svg, "small end", LEFT - 8, TOP + HEIGHT, "0");
    for (int i = 0; i < moments.size(); i++) {
      int end = i + 1 < moments.size() ? moments.get(i + 1).second : SECONDS;
      draw(svg, moments.get(i), end, i);
    }
    svg.append("</svg>\n");
    return svg.toString();
  }

  private static void draw(StringBuilder svg, Moment moment, int end, int index) {
    double x = x(moment.second);
    double width = x(end) - x;
    double used = tall(moment.used);
    double held = tall(moment.held);
    double base = TOP + HEIGHT;
    bar(svg, "free", x, TOP, width, HEIGHT - used - held);
    bar(svg, "held", x, base - used - held, width, held);
    bar(svg, "used", x, base - used, width, used);
    if (moment.step.isEmpty()) return;
    int row = TOP + HEIGHT + 22 + 18 * (index % 3);
    svg.append(
        format(
            "<line class=\"line\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n",
            x, x, TOP, row - 12));
    text(svg, "small", x + 3, row, moment.second + " s: " + moment.call + " " + moment.step);
  }

  private static void bar(
      StringBuilder svg, String kind, double x, double y, double width, double height) {
    if (height <= 0) return;
    svg.append(
        format(
            "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
            kind, x, y, width, height));
  }

  private static void legend(StringBuilder svg, int x, String kind, String text) {
    svg.append(
        format(
            "<rect class=\"%s\" x=\"%d\" y=\"15\" width=\"9\" height=\"9\" rx=\"1\"/>\n", kind, x));
    text(svg, "small", x + 15, 24, text);
  }

  private static double x(int second) {
    return LEFT + (double) WIDTH * second / SECONDS;
  }

  private static double tall(long permits) {
    return (double) HEIGHT * permits / LIMIT;
  }

  private static void text(StringBuilder svg, String kind, double x, int y, String text) {
    svg.append(format("<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>\n", kind, x, y, text));
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
