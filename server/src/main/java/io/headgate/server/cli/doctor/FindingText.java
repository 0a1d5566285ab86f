package io.headgate.server.cli.doctor;

import com.fasterxml.jackson.core.JsonFactory;
import io.headgate.server.cli.doctor.Finding.Level;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.Printable;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;

/** Prints the findings of checks with their advice, or as JSON. */
public record FindingText(CommandContext context) {
  /** Prints a line for each finding, its advice below it, and a summary. */
  public void print(List<Finding> findings) {
    for (var finding : findings) {
      context
          .out()
          .println(
              "%s  %-8s  %s"
                  .formatted(
                      coloured(finding.level()), finding.topic(), Printable.lines(finding.text())));
      finding.advice().ifPresent(advice -> context.out().println(" ".repeat(19) + "→ " + advice));
    }
    context.out().println(summary(findings));
  }

  private static String summary(List<Finding> findings) {
    long problems = count(findings, Level.PROBLEM);
    long warnings = count(findings, Level.WARNING);
    if (problems + warnings == 0) return "No problems found.";
    return "%s, %s.".formatted(number(problems, "problem"), number(warnings, "warning"));
  }

  private static String number(long count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }

  private static long count(List<Finding> findings, Level level) {
    return findings.stream().filter(finding -> finding.level() == level).count();
  }

  private String coloured(Level level) {
    String text = "%-7s".formatted(name(level));
    return switch (level) {
      case OK -> context.good(text);
      case WARNING -> context.warning(text);
      case PROBLEM -> context.bad(text);
    };
  }

  private static String name(Level level) {
    return level.name().toLowerCase(Locale.ROOT);
  }

  /** Returns the findings as a JSON object. */
  public static String json(List<Finding> findings) {
    var text = new StringWriter();
    try (var out = new JsonFactory().createGenerator(text)) {
      out.writeStartObject();
      out.writeArrayFieldStart("findings");
      for (var finding : findings) {
        out.writeStartObject();
        out.writeStringField("level", name(finding.level()));
        out.writeStringField("topic", finding.topic());
        out.writeStringField("text", finding.text());
        if (finding.advice().isPresent()) {
          out.writeStringField("advice", finding.advice().get());
        }
        out.writeEndObject();
      }
      out.writeEndArray();
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }
}
