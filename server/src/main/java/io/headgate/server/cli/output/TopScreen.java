package io.headgate.server.cli.output;

import java.util.Comparator;
import java.util.Locale;

/** Prints the busiest rules and callers of a service, over the whole screen of a terminal. */
public record TopScreen(CommandContext context, int limit) {
  /** Moves the cursor to the upper left corner and clears the screen. */
  private static final String CLEAR = "\033[H\033[2J";

  /**
   * Prints the figures.
   *
   * @param url the URL of the service, without secrets
   * @param live whether to replace the content of the screen
   */
  public void print(String url, JsonReply stats, JsonReply rules, JsonReply callers, boolean live) {
    if (live) context.out().print(CLEAR);
    printSummary(url, stats);
    context.out().println();
    printRules(stats.at("now").number(), rules);
    context.out().println();
    printCallers(callers);
    context.out().flush();
  }

  /** Prints why there are no figures at present. */
  public void printProblem(String problem) {
    context.out().print(CLEAR);
    context.out().println(context.bad(Printable.of(problem)));
    context.out().println("trying again");
    context.out().flush();
  }

  private void printSummary(String url, JsonReply stats) {
    var store = stats.at("store");
    String kind = store.at("address").optionalText().orElse(store.at("kind").text());
    context
        .out()
        .println(
            "Headgate %s at %s, instances %d, store %s%s, rules %d, revision %d"
                .formatted(
                    stats.at("version").text(),
                    url,
                    stats.at("instances").number(),
                    kind,
                    store.at("unavailable").isTrue() ? " " + context.bad("unavailable") : "",
                    stats.at("rules").at("count").number(),
                    stats.at("rules").at("revision").number()));
    var rates = stats.at("rates");
    var check = stats.at("latency").at("check");
    context
        .out()
        .println(
            "allowed %s, denied %s, without store %s, no rule %s%s"
                .formatted(
                    rate(rates, "allowed"),
                    rate(rates, "denied"),
                    rate(rates, "degraded"),
                    rate(rates, "unmatched"),
                    check.at("p50").isPresent()
                        ? ", latency p50 %s, p99 %s"
                            .formatted(millis(check.at("p50")), millis(check.at("p99")))
                        : ""));
    for (var anomaly : stats.at("anomalies").items()) {
      if (!anomaly.at("until").isPresent()) {
        context.out().println(context.warning(anomaly.at("text").text()));
      }
    }
  }

  private void printRules(long now, JsonReply rules) {
    var table =
        new TextTable("RULE", "MODE", "ALLOWED/MIN", "DENIED/MIN", "WITHOUT STORE", "LAST DENIED");
    rules.at("rules").items().stream()
        .sorted(
            Comparator.comparingLong((JsonReply rule) -> -lastMinute(rule, "denied"))
                .thenComparingLong(rule -> -lastMinute(rule, "allowed")))
        .limit(limit)
        .forEach(rule ->
            table.add(
                rule.at("rule").text(),
                rule.at("mode").text(),
                Long.toString(lastMinute(rule, "allowed")),
                Long.toString(lastMinute(rule, "denied")),
                Long.toString(lastMinute(rule, "degraded")),
                rule.at("lastDenied").isPresent()
                    ? DurationText.text(Math.max(0, now - rule.at("lastDenied").number())) + " ago"
                    : ""));
    table.print(context);
  }

  private static long lastMinute(JsonReply rule, String figure) {
    return rule.at("lastMinute").at(figure).number();
  }

  private void printCallers(JsonReply callers) {
    var table = new TextTable("CALLER", "ALLOWED", "DENIED", "PER SECOND", "RULES");
    for (var caller : callers.at("callers").items()) {
      table.add(
          caller.at("caller").text(),
          Long.toString(caller.at("allowed").number()),
          Long.toString(caller.at("denied").number()),
          String.format(Locale.ROOT, "%.1f", caller.at("perSecond").decimal()),
          String.join(", ", caller.at("rules").texts()));
    }
    table.print(context);
  }

  private static String rate(JsonReply rates, String name) {
    return String.format(Locale.ROOT, "%.1f/s", rates.at(name).decimal());
  }

  private static String millis(JsonReply micros) {
    return String.format(Locale.ROOT, "%.2f ms", micros.decimal() / 1_000);
  }
}
