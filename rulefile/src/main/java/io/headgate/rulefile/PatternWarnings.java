package io.headgate.rulefile;

import io.headgate.rule.Match;
import io.headgate.rule.Pattern;
import io.headgate.rule.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Warns of values in {@code match} that look like the syntax of another product: regular
 * expressions, path templates and methods in lower case. They match no request as they are.
 */
final class PatternWarnings {
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT");

  /**
   * Anchors, {@code .*} at the end of a path, {@code .+}, classes such as {@code [a-z]} or {@code
   * [^/]}, escapes with a quantifier, and alternatives in parentheses.
   */
  private static final java.util.regex.Pattern EXPRESSION =
      java.util.regex.Pattern.compile(
          "^\\^|\\$$|/\\.\\*|\\.\\+|\\[\\^?[^\\]\\[]{1,40}\\][+*{?]|\\\\[dws][+*{]|\\([^()]{0,80}\\|[^()]{0,80}\\)");

  private static final java.util.regex.Pattern TEMPLATE =
      java.util.regex.Pattern.compile("\\{[A-Za-z_][A-Za-z0-9_.-]*\\}|/:[A-Za-z_][A-Za-z0-9_]*");

  /** Returns the warnings of a rule, one for each value. */
  static List<String> of(Rule rule) {
    var warnings = new ArrayList<String>();
    warn(rule, rule.match(), warnings);
    for (var override : rule.overrides()) warn(rule, override.match(), warnings);
    return warnings.stream().distinct().toList();
  }

  private static void warn(Rule rule, Match match, List<String> warnings) {
    match
        .conditions()
        .forEach((attribute, pattern) ->
            values(pattern)
                .forEach(value -> {
                  String flaw = flaw(attribute, value);
                  if (flaw.isEmpty()) return;
                  warnings.add(
                      "rule '%s': %s %s %s"
                          .formatted(
                              Excerpt.shown(rule.id()),
                              Excerpt.shown(attribute),
                              Excerpt.of(value),
                              flaw));
                }));
  }

  private static String flaw(String attribute, String value) {
    if (attribute.equals("method") || attribute.equals(":method")) {
      String upper = value.toUpperCase(Locale.ROOT);
      return METHODS.contains(upper) && !upper.equals(value)
          ? "is not a method, since case matters; write " + upper
          : "";
    }
    if (EXPRESSION.matcher(value).find()) {
      return "looks like a regular expression, and is matched as it is written. Use globs: * stands for any text, and a list for alternatives";
    }
    if (TEMPLATE.matcher(value).find()) {
      return "looks like a template, and is matched as it is written. Write * for the variable part";
    }
    return "";
  }

  private static Stream<String> values(Pattern pattern) {
    return switch (pattern) {
      case Pattern.Exactly(var value) -> Stream.of(value);
      case Pattern.Glob glob -> Stream.of(String.join("*", glob.pieces()));
      case Pattern.AnyOf(var patterns) -> patterns.stream().flatMap(PatternWarnings::values);
      case Pattern.Except(var included, var excluded) ->
          Stream.concat(values(included), values(excluded));
      case Pattern.OrAbsent(var present) -> values(present);
      case Pattern.Cidr block -> Stream.empty();
      case Pattern.Absent absent -> Stream.empty();
    };
  }

  private PatternWarnings() {}
}
