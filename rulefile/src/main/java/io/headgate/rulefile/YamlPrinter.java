package io.headgate.rulefile;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/** Prints rules as YAML, with one line per field and nested values in flow style. */
final class YamlPrinter {
  private static final Pattern WORDS =
      Pattern.compile("[A-Za-z/][A-Za-z0-9_./@-]*(?::[A-Za-z0-9_./@-]+)*+");

  private static final Pattern DURATION_OR_RATE =
      Pattern.compile("(?:[1-9][0-9]*[A-Za-z]{0,2}/)?[1-9][0-9]*(?:us|ms|s|m|h|d|w|mo|y)");

  /** Words that YAML 1.1 or 1.2 does not read as text unless quoted. */
  private static final Set<String> RESERVED =
      Set.of("y", "n", "yes", "no", "on", "off", "true", "false", "null");

  /** Returns a rule file. */
  static String of(List<OutputNode.Fields> rules) {
    if (rules.isEmpty()) return "rules: []\n";
    var yaml = new StringBuilder("rules:\n");
    for (var rule : rules) {
      String indent = "  - ";
      for (var field : rule.fields().entrySet()) {
        yaml.append(indent).append(field.getKey()).append(":").append(block(field.getValue()));
        indent = "    ";
      }
    }
    return yaml.toString();
  }

  /** Returns the value of a rule's field; limits and overrides get one line each. */
  private static String block(OutputNode value) {
    if (!(value instanceof OutputNode.Items(var items))
        || items.isEmpty()
        || !(items.getFirst() instanceof OutputNode.Fields)) {
      return " " + flow(value) + "\n";
    }
    var lines = new StringBuilder("\n");
    for (var item : items) lines.append("      - ").append(flow(item)).append('\n');
    return lines.toString();
  }

  private static String flow(OutputNode tree) {
    return switch (tree) {
      case OutputNode.Text(String text) -> text(text);
      case OutputNode.Literal(String text) -> text;
      case OutputNode.Items(var items) -> {
        var list = new StringJoiner(", ", "[", "]");
        for (var item : items) list.add(flow(item));
        yield list.toString();
      }
      case OutputNode.Fields(var fields) -> {
        var map = new StringJoiner(", ", "{ ", " }").setEmptyValue("{}");
        fields.forEach((name, value) -> map.add(text(name) + ": " + flow(value)));
        yield map.toString();
      }
    };
  }

  private static String text(String text) {
    boolean bare =
        DURATION_OR_RATE.matcher(text).matches()
            || (WORDS.matcher(text).matches() && !RESERVED.contains(text.toLowerCase(Locale.ROOT)));
    return bare ? text : JsonPrinter.quoted(text);
  }

  private YamlPrinter() {}
}
