package io.headgate.server.cli.bench;

import com.fasterxml.jackson.core.JsonFactory;
import io.headgate.server.cli.output.CommandContext;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/** Prints the figures of a load, as text with a histogram of the latency or as JSON. */
public record LoadText(CommandContext context) {
  private static final int BAR = 40;
  private static final double[] PERCENTILES = {50, 90, 99, 99.9};

  /** Prints the figures as text. */
  public void print(
      LoadSettings settings, LoadResult result, Optional<BoundedAdmission> admission) {
    row("load", load(settings));
    row(
        "decisions",
        String.format(
            Locale.ROOT,
            "%,d in %.1f s, %,.0f/s: %,d allowed, %,d denied",
            result.allowed() + result.denied(),
            result.nanos() / 1e9,
            result.perSecond(),
            result.allowed(),
            result.denied()));
    if (result.sources().keySet().stream().anyMatch(source -> !source.equals("store"))) {
      row(
          "source",
          result.sources().entrySet().stream()
              .map(entry -> String.format(Locale.ROOT, "%s %,d", entry.getKey(), entry.getValue()))
              .collect(Collectors.joining(", ")));
    }
    if (result.failed() > 0) {
      row(
          "failed",
          context.bad(
              String.format(
                  Locale.ROOT,
                  "%,d; first: %s",
                  result.failed(),
                  result.firstFailure().orElse(""))));
    }
    printLatency(result.micros());
    admission.ifPresent(this::printAdmission);
  }

  private static String load(LoadSettings settings) {
    String rate =
        settings.isOpenLoop()
            ? String.format(Locale.ROOT, "%,d/s, latency from the time due", settings.perSecond())
            : "as fast as answered";
    return "%d connections, %s".formatted(settings.connections(), rate);
  }

  private void printAdmission(BoundedAdmission admission) {
    String text =
        String.format(
            Locale.ROOT,
            "%s (%s): %,d admitted, at most %,d in this time",
            admission.rule(),
            admission.limit(),
            admission.admitted(),
            admission.bound());
    row("limit", admission.isExceeded() ? context.bad(text + ": EXCEEDED") : context.good(text));
  }

  private void printLatency(Histogram micros) {
    if (micros.getTotalCount() == 0) return;
    var text = new StringBuilder();
    for (double percentile : PERCENTILES) {
      text.append("p%s %s, ".formatted(plain(percentile), millis(micros, percentile)));
    }
    row("latency", text + "max " + millis(micros.getMaxValue()));
    // Each line doubles the latency of the one before it.
    long from = 0;
    for (long to = 64; from <= micros.getMaxValue(); to *= 2) {
      long count = micros.getCountBetweenValues(from, to - 1);
      if (count > 0) printBar(to, count, micros.getTotalCount());
      from = to;
    }
  }

  private void printBar(long to, long count, long total) {
    int length = (int) Math.max(1, count * BAR / total);
    context
        .out()
        .println(
            String.format(
                Locale.ROOT,
                "  < %9s  %5.1f%%  %s",
                millis(to),
                count * 100.0 / total,
                "█".repeat(length)));
  }

  private static String plain(double percentile) {
    return percentile == Math.rint(percentile)
        ? Long.toString(Math.round(percentile))
        : Double.toString(percentile);
  }

  private static String millis(Histogram micros, double percentile) {
    return millis(micros.getValueAtPercentile(percentile));
  }

  private static String millis(long micros) {
    return String.format(Locale.ROOT, "%.2f ms", micros / 1_000.0);
  }

  private void row(String name, String text) {
    context.out().println("  %-9s  %s".formatted(name, text));
  }

  /** Returns the figures as a JSON object. */
  public static String json(LoadResult result, Optional<BoundedAdmission> admission) {
    var text = new StringWriter();
    try (var out = new JsonFactory().createGenerator(text)) {
      out.writeStartObject();
      out.writeNumberField("seconds", result.nanos() / 1e9);
      out.writeNumberField("perSecond", result.perSecond());
      out.writeNumberField("allowed", result.allowed());
      out.writeNumberField("denied", result.denied());
      out.writeNumberField("failed", result.failed());
      out.writeObjectFieldStart("sources");
      for (var source : result.sources().entrySet()) {
        out.writeNumberField(source.getKey(), source.getValue());
      }
      out.writeEndObject();
      out.writeObjectFieldStart("latencyMicros");
      for (double percentile : PERCENTILES) {
        out.writeNumberField(
            "p" + plain(percentile), result.micros().getValueAtPercentile(percentile));
      }
      out.writeNumberField("max", result.micros().getMaxValue());
      out.writeEndObject();
      if (admission.isPresent()) {
        var limit = admission.get();
        out.writeObjectFieldStart("limit");
        out.writeStringField("rule", limit.rule());
        out.writeNumberField("admitted", limit.admitted());
        out.writeNumberField("bound", limit.bound());
        out.writeEndObject();
      }
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }
}
