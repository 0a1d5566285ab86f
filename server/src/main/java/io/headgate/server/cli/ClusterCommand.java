package io.headgate.server.cli;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.JsonReply;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the members of the cluster that a running service belongs to. */
@Command(
    name = "cluster",
    description =
        "Shows the members of a cluster and the partitions they own, as one member sees them. Exits"
            + " with 0 if every partition has an owner and a copy, 1 if not, 2 if there is no"
            + " service or it has another store.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ClusterCommand implements Callable<Integer> {
  private final CommandContext context;
  private final ServiceClient client;

  @Mixin private ServiceApi service;

  ClusterCommand(CommandContext context, ServiceClient client) {
    this.context = context;
    this.client = client;
  }

  @Override
  public Integer call() {
    return ServiceReads.of(() -> {
      var health = service.health(client);
      var store = health.json().at("store");
      var cluster = store.at("cluster");
      if (!cluster.isPresent()) {
        context
            .err()
            .printf(
                "headgate: %s has the store %s%s%n",
                service.shownUrl(),
                store.at("kind").text(),
                store.at("kind").text().equals("cluster")
                    ? "; its members are shown to clients that may read, and not while it joins"
                    : ", which has no members; --store cluster has");
        return Main.ERROR;
      }
      if (service.json()) context.out().println(health.body().strip());
      else print(cluster, store);
      return isWhole(cluster) && !store.at("unavailable").isTrue() ? Main.OK : Main.NO;
    });
  }

  private static boolean isWhole(JsonReply cluster) {
    return cluster.at("majority").isTrue()
        && cluster.at("unowned").number() == 0
        && cluster.at("unbacked").number() == 0;
  }

  /** Returns what happens to checks, which a majority alone does not tell. */
  private String decisions(JsonReply cluster, JsonReply store) {
    if (!cluster.at("majority").isTrue()) {
      return context.bad("no majority: failure policies decide");
    }
    return store.at("unavailable").isTrue()
        ? context.bad("a majority, but checks fail: failure policies decide")
        : context.good("a majority: they decide");
  }

  private void print(JsonReply cluster, JsonReply store) {
    var out = context.out();
    var members = cluster.at("members").items();
    out.printf(
        "%d of %d members, %s%n",
        members.size(), cluster.at("expected").number(), decisions(cluster, store));
    if (store.at("problem").isPresent()) out.printf("  %s%n", store.at("problem").text());
    out.printf("  %-4s %-24s %8s %8s%n", "id", "address", "owns", "copies");
    for (var member : members) {
      out.printf(
          "  %-4d %-24s %8d %8d%s%n",
          member.at("id").number(),
          member.at("address").text(),
          member.at("owned").number(),
          member.at("backed").number(),
          member.at("self").isTrue() ? "  this member" : "");
    }
    for (var member : cluster.at("unreachable").items()) {
      out.printf(
          "  %-4d %-24s %s since %s%n",
          member.at("id").number(),
          member.at("address").text(),
          context.bad("unreachable"),
          member.at("since").text());
    }
    long unowned = cluster.at("unowned").number();
    long unbacked = cluster.at("unbacked").number();
    out.printf(
        "%d partitions, %s%n",
        cluster.at("partitions").number(),
        unowned + unbacked == 0
            ? "each with an owner and a copy"
            : context.bad("%d without an owner, %d without a copy".formatted(unowned, unbacked)));
  }
}
