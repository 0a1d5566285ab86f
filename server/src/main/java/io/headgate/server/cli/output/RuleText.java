package io.headgate.server.cli.output;

import java.util.List;
import java.util.Set;
import java.util.StringJoiner;

/** Formats the parts of a rule for the cells of a table. */
public final class RuleText {
  /** The fields of a limit whose values are shown without a name, or not at all. */
  private static final Set<String> UNNAMED_FIELDS = Set.of("algorithm", "rate", "max", "name");

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
    conditions.forEach((attribute, pattern) -> text.add(condition(attribute, pattern)));
    return text.toString();
  }

  /**
   * Returns the condition of an attribute, such as {@code path=/a|/b}, {@code path!=/health} or
   * {@code path=/api/* except /api/health}.
   */
  private static String condition(String attribute, JsonReply pattern) {
    if (!(pattern instanceof JsonReply.Members)) return attribute + "=" + alternatives(pattern);
    var is = pattern.at("is");
    var except = pattern.at("except");
    String absent = pattern.at("or").isPresent() ? " or " + pattern.at("or").text() : "";
    if (!except.isPresent()) return attribute + "=" + alternatives(is) + absent;
    return is.isPresent()
        ? "%s=%s except %s%s".formatted(attribute, alternatives(is), alternatives(except), absent)
        : "%s!=%s%s".formatted(attribute, alternatives(except), absent);
  }

  private static String alternatives(JsonReply pattern) {
    return pattern instanceof JsonReply.Items ? String.join("|", pattern.texts()) : pattern.text();
  }

  /** Returns the attributes that a counter is kept for; {@code all} for a single counter. */
  public static String per(JsonReply rule) {
    if (rule.at("per").isPresent()) {
      var per = rule.at("per").texts();
      return per.isEmpty() ? "all" : String.join(",", per);
    }
    var among = rule.at("limit").at("fair").at("among"); // tenants share one counter
    var wildcards = new StringJoiner(",");
    if (rule.at("match") instanceof JsonReply.Members(var conditions)) {
      conditions.forEach((attribute, pattern) -> {
        if (among.text().equals(attribute) || among.texts().contains(attribute)) return;
        if (isWildcard(attribute, pattern)) wildcards.add(attribute);
      });
    }
    return wildcards.length() == 0 ? "all" : wildcards.toString();
  }

  /**
   * Returns whether the pattern is a wildcard, as in the service: a glob, a CIDR block, or
   * everything except some values.
   */
  private static boolean isWildcard(String attribute, JsonReply pattern) {
    if (pattern instanceof JsonReply.Members) {
      return pattern.at("is").isPresent()
          ? isWildcard(attribute, pattern.at("is"))
          : pattern.at("except").isPresent();
    }
    var texts = pattern instanceof JsonReply.Items ? pattern.texts() : List.of(pattern.text());
    return texts.stream()
        .anyMatch(text ->
            text.replace("\\\\", "").replace("\\*", "").contains("*")
                || (attribute.equals("ip") && text.contains("/")));
  }

  /**
   * Returns the limits with all their parameters, and how they are combined; {@code exempt} or the
   * policy of load shedding for a rule without limits.
   */
  public static String limits(JsonReply rule) {
    if (rule.at("exempt").isTrue()) return "exempt";
    if (rule.at("shed").isPresent()) return shed(rule.at("shed"));
    var limits =
        rule.at("limit").isPresent() ? List.of(rule.at("limit")) : rule.at("limits").items();
    var text = new StringJoiner(combined(rule.at("combine").text()));
    for (var limit : limits) text.add(limit(limit));
    return text.toString();
  }

  /** Returns a policy such as {@code shed utilization 0.8 priority critical>normal>bulk}. */
  private static String shed(JsonReply policy) {
    var text = new StringJoiner(" ").add("shed");
    text.add(policy.at("signal").text()).add(scalar(policy.at("target")));
    var order = policy.at("priority").at("order").texts();
    if (!order.isEmpty()) text.add("priority").add(String.join(">", order));
    return text.toString();
  }

  /** Returns the times at which the rule applies; empty if it always does. */
  public static String active(JsonReply rule) {
    var text = new StringJoiner(" ");
    var active = rule.at("active");
    for (var field : List.of("days", "hours")) {
      if (active.at(field).isPresent()) text.add(alternatives(active.at(field)));
    }
    for (var field : List.of("from", "until")) {
      if (active.at(field).isPresent()) text.add(field + " " + active.at(field).text());
    }
    if (active.isPresent()) {
      text.add(active.at("zone").isPresent() ? active.at("zone").text() : "UTC");
    }
    return text.toString();
  }

  private static String combined(String how) {
    return how.isEmpty() || how.equals("all") ? " and " : " " + how + " ";
  }

  private static String limit(JsonReply limit) {
    if (!(limit instanceof JsonReply.Members(var fields))) return limit.text(); // such as deny
    var text = new StringJoiner(" ").add(limit.at("algorithm").text());
    for (var field : List.of("rate", "max")) {
      if (limit.at(field).isPresent()) text.add(scalar(limit.at(field)));
    }
    fields.forEach((name, value) -> {
      if (!UNNAMED_FIELDS.contains(name)) text.add(parameter(name, value));
    });
    return text.toString();
  }

  private static String parameter(String name, JsonReply value) {
    return switch (name) {
      case "align", "zone" -> scalar(value); // calendar Europe/Berlin
      case "per" -> "per " + String.join(",", value.texts());
      case "adapt" ->
          "adapt %s %s within %s"
              .formatted(
                  value.at("signal").text(),
                  scalar(value.at("target")),
                  String.join("-", value.at("between").texts()));
      case "fair" -> "fair among " + scalar(value.at("among"));
      default -> name + " " + scalar(value);
    };
  }

  private static String scalar(JsonReply value) {
    return switch (value) {
      case JsonReply.Text(var text) -> text;
      case JsonReply.Whole(var number) -> Long.toString(number);
      case JsonReply.Fraction(var number) -> Double.toString(number);
      case JsonReply.Truth(var flag) -> Boolean.toString(flag);
      case JsonReply.Items items -> String.join("|", items.texts());
      case JsonReply.Members(var fields) -> String.join(",", fields.keySet());
      case JsonReply.Nothing nothing -> "";
    };
  }

  /** Returns the number of overrides; empty if there are none. */
  public static String overrides(JsonReply rule) {
    int count = rule.at("overrides").items().size();
    return count == 0 ? "" : Integer.toString(count);
  }

  private RuleText() {}
}
