package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.JsonReply;
import io.headgate.server.cli.output.LevelText;
import io.headgate.server.cli.output.LimitText;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows which rules of a running service apply to a subject, and why. */
@Command(
    name = "explain",
    description = "Shows which rules apply to a subject and why, and the state of their limits.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ExplainCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private RequestOptions options;

  ExplainCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    var subject = options.subject();
    var answer = options.post(client, "/v1/explain", JsonRequestBody.of(subject, out -> {}));
    if (options.json()) {
      context.out().println(answer.body());
      return Main.OK;
    }
    var rules = answer.json().at("rules").items();
    var misses = answer.json().at("nearMisses").items();
    context.out().println(count(rules.size()) + options.shownSubject());
    var region = answer.json().at("region");
    if (region.isPresent() && !region.at("homeReachable").isTrue()) {
      context
          .out()
          .println(
              context.warning(
                  "Home is unreachable: region %s has its shares of shared rules only."
                      .formatted(region.at("name").text())));
    }
    int width = Math.max(widest(rules), widest(misses));
    for (var rule : rules) printRule(rule, width);
    if (!misses.isEmpty()) context.out().println("Near misses:");
    for (var rule : misses) context.out().println(line(rule, width, rule.at("reason").text()));
    long more = answer.json().at("notApplying").number() - misses.size();
    if (more == 1) context.out().println("1 more rule does not apply.");
    if (more > 1) context.out().printf("%d more rules do not apply.%n", more);
    return Main.OK;
  }

  private static String count(int rules) {
    return switch (rules) {
      case 0 -> "No rule applies to ";
      case 1 -> "1 rule applies to ";
      default -> rules + " rules apply to ";
    };
  }

  private static int widest(Iterable<JsonReply> rules) {
    int widest = 0;
    for (var rule : rules) widest = Math.max(widest, rule.at("id").text().length());
    return widest;
  }

  private void printRule(JsonReply rule, int width) {
    context.out().println(line(rule, width, rule.at("reason").text() + conditions(rule)));
    String indent = " ".repeat(width + 4);
    var shedding = rule.at("shedding");
    if (shedding.isPresent()) context.out().println(indent + LevelText.of(shedding));
    for (var limit : rule.at("limits").items()) {
      String name = limit.at("name").text();
      String prefix = name.equals(rule.at("id").text()) ? "" : name + ", ";
      context
          .out()
          .println(
              indent
                  + prefix
                  + limit.at("algorithm").text()
                  + ": "
                  + LimitText.of(limit)
                  + counter(limit));
    }
    for (var held : rule.at("reservations").items()) {
      context.out().println(indent + reservations(rule, held));
    }
  }

  /** Returns which callers share the counter of a limit; empty if each has its own. */
  private String counter(JsonReply limit) {
    if (!limit.at("per").isPresent()) return "";
    var per = limit.at("per").texts();
    if (per.isEmpty()) return ", one counter for all callers";
    var subject = options.subject();
    var absent = per.stream().filter(name -> !subject.containsKey(name)).toList();
    if (!absent.isEmpty()) {
      return ", one counter for all callers without " + String.join(" and ", absent);
    }
    return ", counter of "
        + per.stream()
            .map(name -> name + "=" + subject.get(name))
            .collect(Collectors.joining(", "));
  }

  private static String reservations(JsonReply rule, JsonReply held) {
    String limit = held.at("limit").text();
    long open = held.at("open").number();
    return "%s%d open %s: %d held, %d used, %d free%s"
        .formatted(
            limit.equals(rule.at("id").text()) ? "" : limit + ", ",
            open,
            open == 1 ? "reservation" : "reservations",
            held.at("held").number(),
            held.at("used").number(),
            held.at("free").number(),
            held.at("complete").isTrue() ? "" : "; there may be more, not all were read");
  }

  private static String conditions(JsonReply rule) {
    var conditions = rule.at("conditions").items();
    boolean plain = rule.at("reason").text().equals("applies");
    return conditions.isEmpty()
        ? plain ? " to everything" : "; matches everything"
        : conditions.stream()
            .map(ExplainCommand::condition)
            .collect(Collectors.joining(" and ", ": ", ""));
  }

  private static String condition(JsonReply condition) {
    String value = condition.at("value").text();
    String pattern = condition.at("pattern").text();
    return condition.at("attribute").text()
        + (value.equals(pattern) ? " is " + value : " %s matches %s".formatted(value, pattern));
  }

  private static String line(JsonReply rule, int width, String text) {
    String id = rule.at("id").text();
    return "  " + id + " ".repeat(width - id.length() + 2) + text;
  }
}
