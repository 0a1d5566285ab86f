package io.headgate.server.cli.output;

import java.util.List;
import java.util.StringJoiner;

/** Formats the parts of a rule for the cells of a table. */
public final class RuleText {
  /** Returns the mode, and whether the rule is a fallback. */
  public static String mode(JsonReply rule) {
    String mode = rule.at("mode").text();
    String shown = mode.isEmpty() ? "enforce" : mode;
    return rule.at("fallback").isTrue() ? shown + ", fallback" : shown;
  }

  /** Returns the conditions; {@code everything} if there are none. */
  public static String match(JsonReply rule) {
    if (!(rule.at("match") instanceof JsonReply.Members(var conditions))) return "everything";
    if (conditions.isEmpty()) return "everything";
    var text = new StringJoiner(" ");
    conditions.forEach((attribute, pattern) -> text.add(attribute + "=" + pattern(pattern)));
    return text.toString();
  }

  private static String pattern(JsonReply pattern) {
    return pattern instanceof JsonReply.Items ? String.join("|", pattern.texts()) : pattern.text();
  }

  /** Returns the attributes that a counter is kept for; {@code all} for a single counter. */
  public static String per(JsonReply rule) {
    if (rule.at("per").isPresent()) {
      var per = rule.at("per").texts();
      return per.isEmpty() ? "all" : String.join(",", per);
    }
    var wildcards = new StringJoiner(",");
    if (rule.at("match") instanceof JsonReply.Members(var conditions)) {
      conditions.forEach((attribute, pattern) -> {
        if (isWildcard(attribute, pattern)) wildcards.add(attribute);
      });
    }
    return wildcards.length() == 0 ? "all" : wildcards.toString();
  }

  /** Returns whether the pattern is a wildcard, as in the service: a glob or a CIDR block. */
  private static boolean isWildcard(String attribute, JsonReply pattern) {
    var texts = pattern instanceof JsonReply.Items ? pattern.texts() : List.of(pattern.text());
    return texts.stream()
        .anyMatch(text ->
            text.replace("\\\\", "").replace("\\*", "").contains("*")
                || (attribute.equals("ip") && text.contains("/")));
  }

  /** Returns the limits and how they are combined; {@code exempt} for a rule without limits. */
  public static String limits(JsonReply rule) {
    if (rule.at("exempt").isTrue()) return "exempt";
    var limits =
        rule.at("limit").isPresent() ? List.of(rule.at("limit")) : rule.at("limits").items();
    var text = new StringJoiner(combined(rule.at("combine").text()));
    for (var limit : limits) text.add(limit(limit));
    return text.toString();
  }

  private static String combined(String how) {
    return how.isEmpty() || how.equals("all") ? " and " : " " + how + " ";
  }

  private static String limit(JsonReply limit) {
    if (limit instanceof JsonReply.Text(var word)) return word;
    String algorithm = limit.at("algorithm").text();
    return limit.at("max").isPresent()
        ? algorithm + " " + limit.at("max").number()
        : algorithm + " " + limit.at("rate").text();
  }

  /** Returns the number of overrides; empty if there are none. */
  public static String overrides(JsonReply rule) {
    int count = rule.at("overrides").items().size();
    return count == 0 ? "" : Integer.toString(count);
  }

  private RuleText() {}
}
