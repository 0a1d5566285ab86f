package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.JsonReply;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the regions that share limits with the region of a running service. */
@Command(
    name = "regions",
    description =
        "Shows the regions that share limits, and the permits that each holds of every rule, as one"
            + " instance sees them. Exits with 0 if home grants shares, every region reports and all"
            + " have the same rules, 1 if not, 2 if there is no service or it has no region.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class RegionsCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private ServiceApi service;

  RegionsCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    return ServiceReads.of(() -> {
      var health = service.health(client);
      var region = health.json().at("store").at("region");
      if (!region.isPresent()) {
        context
            .err()
            .printf(
                "headgate: %s shows no region: it was started without --region, or the token may"
                    + " not read%n",
                service.shownUrl());
        return Main.ERROR;
      }
      if (service.json()) context.out().println(health.body().strip());
      else print(region);
      return isWhole(region) ? Main.OK : Main.NO;
    });
  }

  private static boolean isWhole(JsonReply region) {
    var revisions = new LinkedHashSet<Long>();
    for (var one : region.at("regions").items()) {
      if (one.at("silent").isTrue()) return false;
      revisions.add(one.at("revision").number());
    }
    return region.at("home").at("ready").isTrue() && revisions.size() <= 1;
  }

  private void print(JsonReply region) {
    var out = context.out();
    var home = region.at("home");
    out.printf(
        "region %s, home %s: %s%n",
        region.at("name").text(),
        home.at("address").text(),
        home.at("ready").isTrue()
            ? context.good("grants shares, %d ms away".formatted(home.at("roundTripMs").number()))
            : context.bad("grants none"));
    if (home.at("problem").isPresent()) out.printf("  %s%n", home.at("problem").text());
    out.printf("  %-12s %9s %8s %9s  %s%n", "region", "instances", "rules", "home", "state");
    var regions = region.at("regions").items();
    for (var one : regions) {
      boolean silent = one.at("silent").isTrue();
      out.printf(
          "  %-12s %9d %8s %9s  %s%n",
          one.at("name").text(),
          one.at("instances").number(),
          silent ? "-" : "rev " + one.at("revision").number(),
          silent ? "-" : one.at("roundTripMs").number() + " ms",
          silent
              ? context.bad("silent for %d s".formatted(one.at("ageMs").number() / 1_000))
              : context.good("reports"));
    }
    printShares(regions);
  }

  /** Prints a matrix: a line for each rule, and a column for each region. */
  private void printShares(List<JsonReply> regions) {
    var rules = new LinkedHashSet<String>();
    for (var one : regions) {
      for (var rule : one.at("rules").items()) rules.add(rule.at("rule").text());
    }
    if (rules.isEmpty()) return;
    var out = context.out();
    out.printf("held permits, and permits requested a second%n  %-20s", "rule");
    for (var one : regions) out.printf(" %20s", one.at("name").text());
    out.println();
    for (var rule : rules) {
      out.printf("  %-20s", rule);
      for (var one : regions) out.printf(" %20s", cell(one, rule));
      out.println();
    }
  }

  private static String cell(JsonReply region, String rule) {
    for (var share : region.at("rules").items()) {
      if (!share.at("rule").text().equals(rule)) continue;
      return "%d, %d/s".formatted(share.at("held").number(), share.at("demandPerSecond").number());
    }
    return "-";
  }
}
