package io.headgate.server.cli.output;

import java.util.List;
import java.util.StringJoiner;

/** The parts of a rule, each as short as a table wants it. */
public final class RuleText {
  public static String mode(JsonReply rule) {
    String mode = rule.at("mode").text();
    String shown = mode.isEmpty() ? "enforce" : mode;
    return rule.at("fallback").isTrue() ? shown + ", fallback" : shown;
  }

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

  public static String per(JsonReply rule) {
    if (rule.at("per").isThere()) {
      var per = rule.at("per").texts();
      return per.isEmpty() ? "all" : String.join(",", per);
    }
    var open = new StringJoiner(",");
    if (rule.at("match") instanceof JsonReply.Members(var conditions)) {
      conditions.forEach((attribute, pattern) -> {
        if (isOpen(attribute, pattern)) open.add(attribute);
      });
    }
    return open.length() == 0 ? "all" : open.toString();
  }

  /** As the service has it: a glob, or a block of addresses. */
  private static boolean isOpen(String attribute, JsonReply pattern) {
    var texts = pattern instanceof JsonReply.Items ? pattern.texts() : List.of(pattern.text());
    return texts.stream()
        .anyMatch(text ->
            text.replace("\\\\", "").replace("\\*", "").contains("*")
                || (attribute.equals("ip") && text.contains("/")));
  }

  public static String limits(JsonReply rule) {
    var limits = rule.at("limit").isThere() ? List.of(rule.at("limit")) : rule.at("limits").items();
    var text = new StringJoiner(combined(rule.at("combine").text()));
    for (var limit : limits) text.add(limit(limit));
    return text.toString();
  }

  private static String combined(String how) {
    return how.isEmpty() || how.equals("all") ? " and " : " " + how + " ";
  }

  private static String limit(JsonReply limit) {
    String algorithm = limit.at("algorithm").text();
    return limit.at("max").isThere()
        ? algorithm + " " + limit.at("max").number()
        : algorithm + " " + limit.at("rate").text();
  }

  public static String overrides(JsonReply rule) {
    int count = rule.at("overrides").items().size();
    return count == 0 ? "" : Integer.toString(count);
  }

  private RuleText() {}
}
