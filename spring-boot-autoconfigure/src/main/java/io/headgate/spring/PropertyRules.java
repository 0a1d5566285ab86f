package io.headgate.spring;

import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import io.headgate.rulefile.RuleFileException;
import io.headgate.rulefile.RuleProblem;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads rules from properties. They are written as a rule file and parsed as one, so that fields,
 * values and messages are the same.
 */
final class PropertyRules {
  private static final Pattern PLAIN = Pattern.compile("-?[0-9]{1,18}|true|false");

  /**
   * Returns the rules.
   *
   * @throws InvalidRulesException if they are not valid
   */
  static List<Rule> read(List<Map<String, Object>> rules) {
    if (rules.isEmpty()) return List.of();
    try {
      return RuleFile.read("{\"rules\":" + json(rules) + "}");
    } catch (RuleFileException e) {
      throw new InvalidRulesException(
          "the properties headgate.rules",
          e.problems().stream().map(PropertyRules::text).collect(Collectors.joining("\n")),
          "Correct the properties. The fields are those of a rule file.",
          e);
    }
  }

  /** Lines of the generated text mean nothing to the reader. */
  private static String text(RuleProblem problem) {
    return "headgate." + problem.path() + ": " + problem.message();
  }

  private static String json(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case Map<?, ?> map when isList(map) ->
          map.values().stream().map(PropertyRules::json).collect(Collectors.joining(",", "[", "]"));
      case Map<?, ?> map ->
          map.entrySet().stream()
              .map(entry -> quoted(String.valueOf(entry.getKey())) + ":" + json(entry.getValue()))
              .collect(Collectors.joining(",", "{", "}"));
      case List<?> list ->
          list.stream().map(PropertyRules::json).collect(Collectors.joining(",", "[", "]"));
      case Number number -> number.toString();
      case Boolean flag -> flag.toString();
      default -> scalar(value.toString());
    };
  }

  /** The binder makes a map with the keys 0, 1, … of a list inside of a map. */
  private static boolean isList(Map<?, ?> map) {
    return !map.isEmpty()
        && IntStream.range(0, map.size()).allMatch(i -> map.containsKey(Integer.toString(i)));
  }

  /** Numbers in properties files and environment variables are texts. */
  private static String scalar(String text) {
    return PLAIN.matcher(text).matches() ? text : quoted(text);
  }

  private static String quoted(String text) {
    var out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c < ' ') out.append("\\u%04x".formatted((int) c));
      else out.append(c);
    }
    return out.append('"').toString();
  }

  private PropertyRules() {}
}
